/** Where the bytes of a run go. One call at a time. */
export interface ByteSink {
  /** Settles when the bytes were taken: waiting for it is the back-pressure. */
  write(chunk: Uint8Array | string): Promise<void>;
  /** Makes what was written last and seen, or undoes it and rejects. */
  close(): Promise<void>;
  /** Undoes what can be undone. Never rejects. */
  abort(): Promise<void>;
  /** True once nobody reads any more; writes are then without effect. */
  readonly ended: boolean;
}
