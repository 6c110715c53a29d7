import type { Transaction } from '../platform/postgres/database.js';
import type { PromptedRecord } from './prompts.js';

/** A record that a queue's worker must look at. */
export interface QueuePrompt extends PromptedRecord {
  queue: string;
}

const promptsByTransaction = new WeakMap<Transaction, QueuePrompt[]>();

/**
 * Lets the `writes` worker add wake-up jobs for these records after the commit. For work that a
 * write creates deep inside its handler, where no outcome can name it. In a transaction of another
 * process it does nothing; the clock then finds the work.
 */
export function promptAfterCommit(tx: Transaction, prompts: readonly QueuePrompt[]): void {
  if (prompts.length === 0) return;
  promptsByTransaction.set(tx, [...listPrompts(tx), ...prompts]);
}

export function listPrompts(tx: Transaction): readonly QueuePrompt[] {
  return promptsByTransaction.get(tx) ?? [];
}
