import type { TableName } from '../index/schema.js';

/** One thing that is wrong with an index; table `*` when no single one can be named. */
export interface Finding {
  table: TableName | '*';
  problem: string;
}

/** Receives what is wrong, one sentence each. */
export type Report = (table: TableName, problem: string) => void;
