import { useEffect, useEffectEvent, useState } from 'react';
import { type Problem, toProblem } from './problem';

/** The page sends a dry run after this pause in typing. */
const DELAY_MS = 400;
const RETRY_MS = 3000;

export interface DryRunHeaders {
  'X-Service-Dry-Run': 'true';
}

export interface DryRun<Preview> {
  /**
   * The record that the write would store. While the server refuses the input, this is the preview
   * of the last accepted input.
   */
  preview: Preview | undefined;
  /** The reason why the server would refuse the write. */
  problem: Problem | undefined;
  /** True once the server has checked the current input. */
  isCurrent: boolean;
}

/**
 * Sends a dry run after each change of the body. The server checks the write and computes its
 * amounts, but stores nothing.
 * @param body undefined if there is nothing to check yet
 * @param send sends the write with the given headers
 */
export function useDryRun<Body, Preview>(
  body: Body | undefined,
  send: (headers: DryRunHeaders, body: Body, signal: AbortSignal) => Promise<{ data?: unknown }>,
): DryRun<Preview> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const [state, setState] = useState<{ text?: string; preview?: Preview; problem?: Problem }>({});
  const sendLatest = useEffectEvent(send);
  useEffect(() => {
    if (text === undefined) return;
    const abort = new AbortController();
    const run = async () => {
      try {
        const { data } = await sendLatest(
          { 'X-Service-Dry-Run': 'true' },
          JSON.parse(text) as Body,
          abort.signal,
        );
        if (!abort.signal.aborted) setState({ text, preview: (data as { data: Preview }).data });
      } catch (error) {
        if (abort.signal.aborted) return;
        const problem = toProblem(error);
        setState(({ preview }) => ({ text, ...(preview ? { preview } : {}), problem }));
        if (problem.isPassing) timer = setTimeout(() => void run(), problem.retryAfterMs || RETRY_MS);
      }
    };
    let timer = setTimeout(() => void run(), DELAY_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  const isCurrent = text !== undefined && state.text === text;
  return { preview: state.preview, problem: isCurrent ? state.problem : undefined, isCurrent };
}
