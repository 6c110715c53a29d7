import { errorCodeOf } from '../../shared/platform/errors.js';
import { CliError, EXIT, type ExitCode, reasonOf } from './exit-codes.js';

/** Where the API is and as whom it is called. */
export interface ApiAccess {
  /** Ends in /v1. */
  url: string;
  key: string;
}

interface Refusal {
  /** None: nobody answered. */
  status?: number;
  /** Fields that the refusal names. */
  fields?: string[];
  retryAfterMs?: number;
}

/** Why the API did not do what it was asked to. */
export class ApiError extends CliError {
  constructor(
    readonly refusal: Refusal,
    { code, message, exit }: { code: string; message: string; exit: ExitCode },
  ) {
    super(code, message, exit);
    this.name = 'ApiError';
  }

  /** The same call may succeed later. */
  get isPassing(): boolean {
    const { status } = this.refusal;
    return status === undefined || status === 429 || status >= 500;
  }
}

/** Calls the API and resolves with an answer that it can give only when all is well. @throws {ApiError} for any other */
export async function callApi(
  { url, key }: ApiAccess,
  path: string,
  init: { method?: string; headers?: Record<string, string>; body?: string; signal?: AbortSignal } = {},
): Promise<Response> {
  const headers = { ...init.headers, authorization: `Bearer ${key}` };
  let response: Response;
  try {
    response = await fetch(`${url}${path}`, { ...init, headers, redirect: 'manual' });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(
      {},
      {
        code: 'api_unreachable',
        message: `The API at ${url} cannot be reached (${causeOf(error)}). Does it run there?`,
        exit: EXIT.unreachable,
      },
    );
  }
  if (response.ok) return response;
  throw refusalOf(url, response, await response.text().catch(() => ''));
}

interface ErrorEnvelope {
  error?: { code?: string; message?: string; details?: { field?: string; message?: string }[] };
}

function refusalOf(url: string, { status, headers }: Response, text: string): ApiError {
  const { error } = parseEnvelope(text);
  const details = error?.details ?? [];
  const retryAfterMs = Number(headers.get('retry-after')) * 1000;
  const refusal = {
    status,
    fields: details.flatMap(({ field }) => field ?? []),
    ...(retryAfterMs > 0 ? { retryAfterMs } : {}),
  };
  if (!error?.code) {
    const message = `${url} answers ${status}, and not as the API does. Its address ends in /v1.`;
    return new ApiError(refusal, { code: 'no_api', message, exit: EXIT.configuration });
  }
  const why = [error.message, ...details.flatMap(({ message }) => message ?? [])].join(' ');
  if (status === 401 || status === 403) {
    const message = `The API refuses the key (${status}): ${why}`;
    return new ApiError(refusal, { code: 'key_refused', message, exit: EXIT.configuration });
  }
  const exit = status === 429 || status >= 500 ? EXIT.unreachable : EXIT.failed;
  return new ApiError(refusal, { code: error.code, message: `The API answers ${status}: ${why}`, exit });
}

function parseEnvelope(text: string): ErrorEnvelope {
  try {
    return (JSON.parse(text) ?? {}) as ErrorEnvelope;
  } catch {
    return {};
  }
}

/** What fetch says is only that it failed; why, its cause says. */
export function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return errorCodeOf(cause) || reasonOf(cause);
}
