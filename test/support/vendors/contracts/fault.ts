/** A way in which a double of a vendor misbehaves. */
export type Fault =
  | { kind: 'limit'; seconds: number }
  | { kind: 'status'; status: number; body?: object }
  /** Cuts the connection before or after the write. */
  | { kind: 'cut_before' | 'cut_after' }
  | { kind: 'slow'; ms: number }
  /** Processes the request, but responds only after the promise resolves, if it ever does. */
  | { kind: 'hold'; until: Promise<unknown> };
