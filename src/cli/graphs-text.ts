import type { Manifest } from '../index/schema.js';

type Ann = NonNullable<NonNullable<Manifest['embedding']>['ann']>;

/** Graphs of neighbours in a line: how many, how made, and the least and the mean recall, by vectors, of all. */
export function graphsText({ m, efConstruction, graphs }: Ann): string {
  const made = `${graphs.length}, m ${m}, efConstruction ${efConstruction}`;
  if (graphs.length === 0) return made;
  const all = graphs.reduce((sum, { rows }) => sum + rows, 0);
  const mean = graphs.reduce((sum, { rows, recall }) => sum + rows * recall, 0) / all;
  const least = Math.min(...graphs.map(({ recall }) => recall));
  const worst = graphs.length === 1 ? '' : `, at least ${least.toFixed(3)}`;
  return `${made}, recall@10 ${mean.toFixed(3)}${worst}`;
}
