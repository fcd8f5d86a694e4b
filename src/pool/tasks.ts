import type { Scope } from '../access/scope.js';
import type { ErrorCode } from '../errors.js';
import type { Directory } from '../memory/directory.js';
import type { Scratch } from '../memory/layout.js';
import type { Authorities } from '../score/authorities.js';
import type { Bm25Request } from '../score/bm25-request.js';
import type { CoverDensityRequest } from '../score/cover-density.js';
import type { DenseRequest } from '../score/dense.js';
import type { Localized } from '../score/localize.js';
import type { LocalizeRequest } from '../score/localize-walk.js';
import type { SeedWay } from '../score/localize-ways.js';
import type { SeedRows, SeedsRequest } from '../score/seeds.js';
import type { VisibleVectors } from '../score/visible-vectors.js';
import type { WalksRequest } from '../score/walk.js';
import type { WalkAnswer } from '../score/walk-request.js';
import type { RankedList } from '../types.js';

/** Messages between the calling thread and the workers: numbers and short strings, never a table. */

/** Each kind of task with what it asks and what it answers. */
export interface Tasks {
  bm25: { request: Bm25Request; answer: RankedList };
  explainBm25: { request: Bm25Request & { rows: Uint32Array }; answer: Float64Array };
  coverDensity: { request: CoverDensityRequest; answer: RankedList };
  explainCoverDensity: { request: CoverDensityRequest & { rows: Uint32Array }; answer: Float64Array };
  dense: { request: DenseRequest; answer: RankedList };
  visibleVectors: { request: { model: number }; answer: VisibleVectors };
  localize: { request: LocalizeRequest; answer: Localized };
  localizeWays: { request: LocalizeRequest & { rows: number[] }; answer: SeedWay[][] };
  seeds: { request: SeedsRequest; answer: SeedRows };
  authorities: { request: { rows: number[] }; answer: Authorities };
  communities: { request: { rows: number[] }; answer: Uint32Array };
  walks: { request: WalksRequest; answer: WalkAnswer[] };
}

export type TaskKind = keyof Tasks;

/** `flag`: the task's place among the cancel flags of the shared memory. */
export type TaskMessage = {
  [K in TaskKind]: { kind: K; scope: Scope; request: Tasks[K]['request']; flag: number };
}[TaskKind];

export type TaskReply =
  | { answer: Tasks[TaskKind]['answer'] }
  | { cancelled: true }
  | { error: { code: ErrorCode; message: string } };

/** Handed to every worker once. */
export interface WorkerSetup {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  directory: Directory;
  /** Address of the cancel flags, i32 each. */
  cancelFlags: number;
  /** One region a worker; owners: i32 thread ids, 0 = free, claimed by compare-and-swap, then i32: threads started. */
  scratch: Scratch[];
  owners: number;
}
