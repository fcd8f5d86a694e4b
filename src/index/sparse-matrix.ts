/** Compressed sparse rows: row r holds values[e] in column places[e] for starts[r] <= e < starts[r + 1]. */
export interface SparseMatrix {
  rows: number;
  columns: number;
  starts: Uint32Array;
  places: Uint32Array;
  values: Float64Array;
}
