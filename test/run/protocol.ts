/** The objects that the test run and its worker processes send each other over IPC. */

/** Sent to a worker: the next test file, or null if no file is left. */
export interface Task {
  file: string | null;
  /** Whether the file begins a batch. Batches share only what runs until the end of the run. */
  isNewBatch: boolean;
}

export interface Failure {
  title: string;
  /** Error message, stack and difference, as Mocha prints them. */
  details: string;
}

/** Sent by a worker: the results of one test file. */
export interface FileResult {
  file: string;
  ms: number;
  /** CPU time of the worker and its descendants. */
  cpuMs: number;
  /** The tests by title, as Mocha's spec reporter prints them. */
  report: string;
  passing: number;
  pending: number;
  failures: Failure[];
  /** Stacks that the worker has started so far. */
  stacks: number;
}

/** Sent by a worker: why it could not stop the stores and stacks that its files shared. */
export interface UncleanEnd {
  reason: string;
}
