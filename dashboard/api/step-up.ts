import { useSyncExternalStore } from 'react';

/** The dialog that now asks for a second factor, with the promise of its answer. */
interface Question {
  answer: Promise<boolean>;
  resolve: (isProved: boolean) => void;
}

let question: Question | undefined;
const listeners = new Set<() => void>();

function setQuestion(next: Question | undefined): void {
  question = next;
  for (const listener of listeners) listener();
}

/**
 * Asks the person to prove a second factor. Resolves with false if the person cancels. Writes that
 * the API refuses at the same time share one question.
 */
export function askForFactor(): Promise<boolean> {
  if (!question) {
    let resolve: Question['resolve'] = () => undefined;
    const answer = new Promise<boolean>((done) => {
      resolve = done;
    });
    setQuestion({ answer, resolve });
  }
  return (question as Question).answer;
}

export function answerQuestion(isProved: boolean): void {
  question?.resolve(isProved);
  setQuestion(undefined);
}

/** True while a write waits for the person to prove a second factor. */
export function useIsFactorAsked(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => question !== undefined,
  );
}
