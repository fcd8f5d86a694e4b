import { cpus, loadavg } from 'node:os';
import { Bench } from 'tinybench';

/** One way to do a job. `units` of work per call let ways of different sizes be compared. */
export interface Variant {
  name: string;
  run: () => unknown;
  units?: number;
  /** Done before every call and not timed, for example to empty the caches. */
  before?: () => unknown;
}

export interface Row {
  name: string;
  medianMs: number;
  minMs: number;
  /** Speed per unit relative to each limit or peer, in the order of `Table.against`. */
  ratios: number[];
}

export interface Table {
  title: string;
  against: string[];
  rows: Row[];
}

const ROUNDS = 7;
const MS_PER_ROUND = 25;

/**
 * Times variants in alternating rounds, so that a change of the machine's mood hits them all: a ratio is the
 * median over the rounds of the ratio of medians within a round. Variants named in `against` are the limits or peers.
 */
export async function race(
  title: string,
  variants: readonly Variant[],
  against: readonly string[],
): Promise<Table> {
  const medians = variants.map((): number[] => []);
  const minima = variants.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round <= ROUNDS; round++) {
    // Round 0 warms up: the engine's optimising tier compiles in the background.
    const bench = new Bench({
      time: MS_PER_ROUND,
      iterations: round === 0 ? 2 : 1,
      warmup: false,
      throws: true,
    });
    for (const { name, run, before } of variants) bench.add(name, run, { beforeEach: () => void before?.() });
    for (const [i, task] of (await bench.run()).entries()) {
      if (round === 0) continue;
      if (task.result.state !== 'completed') throw new Error(`${task.name}: ${task.result.state}`);
      medians[i]!.push(task.result.latency.p50);
      minima[i] = Math.min(minima[i]!, task.result.latency.min);
    }
  }
  const rows = variants.map(({ name }, i) => ({
    name,
    medianMs: median(medians[i]!),
    minMs: minima[i]!,
    ratios: against.map((peer) => {
      const j = variants.findIndex((variant) => variant.name === peer);
      const units = (variants[i]!.units ?? 1) / (variants[j]!.units ?? 1);
      return median(medians[i]!.map((ms, round) => (units * medians[j]![round]!) / ms));
    }),
  }));
  return { title, against: [...against], rows };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function machine(): string {
  const all = cpus();
  return `${all.length} x ${all[0]?.model ?? 'unknown'}, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)}`;
}

export function print({ title, against, rows }: Table): void {
  const header = ['', 'median ms', 'min ms', ...against.map((peer) => `x ${peer}`)];
  const cells = rows.map(({ name, medianMs, minMs, ratios }) => [
    name,
    medianMs.toPrecision(4),
    minMs.toPrecision(4),
    ...ratios.map((ratio) => ratio.toFixed(2)),
  ]);
  printCells(title, header, cells);
}

export function printCells(title: string, header: readonly string[], cells: readonly string[][]): void {
  const widths = header.map((_, column) => Math.max(...[header, ...cells].map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ');
  console.log(`\n${title}`);
  for (const row of [header, ...cells]) console.log(`  ${line(row)}`);
}
