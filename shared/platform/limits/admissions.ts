import type { Config } from '../../config/config.js';
import { Admission } from './admission.js';
import { LoopBudget } from './loop-budget.js';

const READ_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Limits how many requests a process handles at a time. Reads and writes have separate limits, so
 * that reads continue while the queue of writes is blocked.
 */
export class Admissions {
  readonly budget = new LoopBudget();
  private readonly reads: Admission;
  private readonly writes: Admission;

  constructor({ openRequestsMin }: Pick<Config, 'openRequestsMin'>) {
    this.reads = new Admission(openRequestsMin, this.budget);
    this.writes = new Admission(openRequestsMin, this.budget);
  }

  forMethod(method: string | undefined): Admission {
    return READ_METHODS.has(String(method)) ? this.reads : this.writes;
  }
}
