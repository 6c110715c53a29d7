import { useCallback, useRef, useState } from 'react';
import { client, newKey } from './client';
import { type Environment, readEnvironment } from './environment';
import { Problem, toProblem } from './problem';
import { queryClient } from './query-client';
import { askForFactor } from './step-up';
import { showToast } from './toast';

/**
 * The headers of one intended write. If the write is sent again with the same key, the API stores
 * it only once.
 */
export interface WriteHeaders {
  'Idempotency-Key': string;
  'X-Environment': Environment;
}

/** A response of the API client. */
interface Sent<Result> {
  data?: Result;
  response: Response;
}

export interface Write<Input, Result> {
  /** Sends the write. Resolves with the stored record, or with undefined if the write failed. */
  run: (input: Input) => Promise<Result | undefined>;
  /** The reason why the last run failed. */
  problem: Problem | undefined;
  /** True until the write is stored or has failed. */
  isRunning: boolean;
  /** True while the API has accepted the write but has not stored it yet (202). */
  isSaving: boolean;
  /** Forgets the problem, for example when the dialog closes. */
  reset: () => void;
}

export interface WriteOptions<Input, Result> {
  /** Text of the notification after success; none by default. */
  done?: string | ((result: Result) => string);
  /** Called after every failure. For problems that another component shows. */
  onProblem?: (problem: Problem, input: Input) => void;
}

const RETRY_DELAYS_MS = [300, 1500, 4000];
const POLL_MS = 700;
/** Maximum time that a finished write waits until the page has read the shown records again. */
const MAX_REFRESH_MS = 3000;

/**
 * Returns a write that a component can run. A write keeps its idempotency key until it has
 * succeeded or is definitely refused. The write retries while the server is unreachable or busy,
 * and waits for a late commit. Then it makes the page read the shown records again.
 * @param send sends the write with the given headers
 */
export function useWrite<Input, Result>(
  send: (headers: WriteHeaders, input: Input) => Promise<Sent<Result>>,
  { done, onProblem }: WriteOptions<Input, Result> = {},
): Write<Input, Result> {
  const [state, setState] = useState<{ problem?: Problem; isRunning: boolean; isSaving: boolean }>(IDLE);
  // One idempotency key per input, because a component may write several records at the same time.
  const keys = useRef(new Map<string, string>());
  const run = useCallback(
    async (input: Input) => {
      // If the last attempt with this input may have been stored, use its key again.
      const text = JSON.stringify(input) ?? '';
      const key = keys.current.get(text) ?? newKey();
      // A retry must use the environment of the first try, even if the person switches in the
      // meantime.
      const headers = { 'Idempotency-Key': key, 'X-Environment': readEnvironment() };
      setState({ isRunning: true, isSaving: false });
      try {
        const sent = await sendWithFactor(() => send(headers, input));
        const result = await waitUntilStored(sent, headers, () =>
          setState({ isRunning: true, isSaving: true }),
        );
        keys.current.delete(text);
        // Wait until the page has read the shown records again. Otherwise the person's next write
        // would name the old version, and the API would refuse it.
        await Promise.race([queryClient.invalidateQueries(), sleep(MAX_REFRESH_MS)]);
        // Become idle only after the caller has closed its dialog. Otherwise the dialog would be
        // shown as idle for a moment.
        setTimeout(() => setState(IDLE));
        if (done) void showToast(typeof done === 'function' ? done(result) : done);
        return result;
      } catch (error) {
        const problem = toProblem(error);
        // Discard the key only after a definite refusal. Otherwise a second try could store a
        // second record.
        if (problem.isUncertain) keys.current.set(text, key);
        else keys.current.delete(text);
        if (problem.isStale) void queryClient.invalidateQueries();
        setState({ problem, isRunning: false, isSaving: false });
        onProblem?.(problem, input);
        return undefined;
      }
    },
    [send, done, onProblem],
  );
  const reset = useCallback(() => setState(IDLE), []);
  return { run, reset, problem: state.problem, isRunning: state.isRunning, isSaving: state.isSaving };
}

const IDLE = { isRunning: false, isSaving: false };

/** Sends the write. If it needs a second factor, asks for it and sends the write again. */
async function sendWithFactor<Result>(send: () => Promise<Sent<Result>>): Promise<Sent<Result>> {
  try {
    return await sendUntilAnswered(send);
  } catch (error) {
    if (toProblem(error).code !== 'factor_required' || !(await askForFactor())) throw error;
    return sendUntilAnswered(send);
  }
}

async function sendUntilAnswered<Result>(send: () => Promise<Sent<Result>>): Promise<Sent<Result>> {
  for (const delay of RETRY_DELAYS_MS) {
    try {
      return await send();
    } catch (error) {
      const problem = toProblem(error);
      if (!problem.isPassing || problem.retryAfterMs > 10_000) throw problem;
      await sleep(Math.max(delay, problem.retryAfterMs));
    }
  }
  return send();
}

/** Returns the stored record. After a 202, polls the operation until it has succeeded or failed. */
async function waitUntilStored<Result>(
  { data, response }: Sent<Result>,
  headers: WriteHeaders,
  onAccepted: () => void,
): Promise<Result> {
  const accepted = (data as { data?: { operation_id?: string } } | undefined)?.data;
  if (response.status !== 202 || !accepted?.operation_id) return data as Result;
  onAccepted();
  for (;;) {
    await sleep(POLL_MS);
    const operation = await readOperation(accepted.operation_id, headers);
    if (operation?.status === 'succeeded') return operation.result as Result;
    if (operation?.status === 'failed' && operation.error) throw new Problem(422, operation.error);
  }
}

/**
 * Reads the operation. Returns undefined while the server is unreachable or busy, and while the
 * person signs in again.
 * @throws {Problem} with the code unknown_outcome if the operation cannot be read any more
 */
async function readOperation(id: string, { 'X-Environment': environment }: WriteHeaders) {
  try {
    const params = { path: { id } };
    return (await client.GET('/operations/{id}', { params, headers: { 'X-Environment': environment } })).data;
  } catch (error) {
    const problem = toProblem(error);
    if (problem.isUncertain) return undefined;
    const message =
      'The server has accepted this, but its result cannot be read. Look at the record before you try again.';
    throw new Problem(0, { code: 'unknown_outcome', message });
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
