/** Counts one term's occurrences, codes as u16: see KernelExports.addOccurrences16. */
export function addOccurrences16(
  rowsAt: usize,
  count: u32,
  fieldsAt: usize,
  fieldCount: u32,
  most: u32,
  accAt: usize,
): void {
  add<u16>(rowsAt, count, fieldsAt, fieldCount, most, accAt);
}

/** The same with u32 codes. */
export function addOccurrences32(
  rowsAt: usize,
  count: u32,
  fieldsAt: usize,
  fieldCount: u32,
  most: u32,
  accAt: usize,
): void {
  add<u32>(rowsAt, count, fieldsAt, fieldCount, most, accAt);
}

// @ts-ignore: decorator
@inline
function add<C>(rowsAt: usize, count: u32, fieldsAt: usize, fieldCount: u32, most: u32, accAt: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    let occurrences: u32 = 0;
    for (let j: u32 = 0; j < fieldCount; j++) {
      const field = fieldsAt + (j << 3);
      const code = <u32>load<C>(load<u32>(field) + i * sizeof<C>());
      occurrences += load<u32>(load<u32>(field, 4) + (code << 2));
    }
    const at = accAt + (load<u32>(rowsAt + (i << 2)) << 3);
    store<f64>(at, load<f64>(at) + <f64>min(occurrences, most));
  }
}
