/** Messages between the test run and its worker processes. */

/** From the run: the next test file, or none. */
export interface Task {
  file: string | null;
}

export interface Failure {
  title: string;
  /** The message, the stack and the difference, as Mocha prints them. */
  details: string;
}

/** From a worker: what it found in a file. */
export interface FileResult {
  file: string;
  ms: number;
  /** The tests by title, as Mocha's spec reporter prints them. */
  report: string;
  passing: number;
  pending: number;
  failures: Failure[];
  /** Stacks that the worker has started so far. */
  stacks: number;
}

/** From a worker: why it could not stop what its files share. */
export interface UncleanEnd {
  reason: string;
}
