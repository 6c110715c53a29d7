/** A way in which a double of a vendor misbehaves. */
export type Fault =
  | { kind: 'limit'; seconds: number }
  | { kind: 'status'; status: number; body?: object }
  /** Cuts the connection before or after the double has processed the request. */
  | { kind: 'cut_before' | 'cut_after' }
  | { kind: 'slow'; ms: number }
  /** Processes the request, but responds only once `until` resolves, which may never happen. */
  | { kind: 'hold'; until: Promise<unknown> };
