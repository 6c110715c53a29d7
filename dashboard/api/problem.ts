/** One error in the API's list of errors. In a 412 response, it has `from` and `to`. */
export interface Fault {
  field?: string;
  code?: string;
  message?: string;
  from?: unknown;
  to?: unknown;
  changed_by?: string;
  changed_at?: string;
}

interface ErrorBody {
  code: string;
  message: string;
  details?: Fault[];
  requestId?: string;
}

/** A failed request, with the API's error. The code is `network` if no response arrived. */
export class Problem extends Error {
  readonly code: string;
  readonly faults: readonly Fault[];
  readonly requestId: string | undefined;

  /**
   * @param status HTTP status; 0 if no response arrived
   * @param retryAfterMs the wait that the API requests; 0 if it requests none
   */
  constructor(
    readonly status: number,
    { code, message, details, requestId }: ErrorBody,
    readonly retryAfterMs = 0,
  ) {
    super(message);
    this.name = 'Problem';
    this.code = code;
    this.faults = details ?? [];
    this.requestId = requestId;
  }

  /** True if a second try of the same request may succeed. */
  get isPassing(): boolean {
    const isInProgress = this.code === 'idempotency_in_progress';
    return isInProgress || [0, 408, 429, 502, 503, 504].includes(this.status);
  }

  /** True if the write may be stored in spite of this response. */
  get isUncertain(): boolean {
    return this.isPassing || this.status === 401 || this.status >= 500;
  }

  /** True if the record has changed since the page read it (412). */
  get isStale(): boolean {
    return this.status === 412;
  }
}

/**
 * Reads the error of a response. A proxy in front of the API may have sent a body of another form.
 */
export async function readProblem(response: Response): Promise<Problem> {
  const retryAfterMs = Number(response.headers.get('Retry-After') ?? 0) * 1000 || 0;
  const body = (await response.json().catch(() => undefined)) as { error?: ErrorBody } | undefined;
  const error = body?.error ?? {
    code: `http_${response.status}`,
    message: `The server responded with status ${response.status}.`,
  };
  return new Problem(response.status, error, retryAfterMs);
}

export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(0, {
    code: 'network',
    message: 'The server cannot be reached. Check your connection.',
  });
}

/**
 * Splits the faults of a problem for a form. Returns the faults of the form's fields by field name,
 * and all other faults as one text.
 * @param fields names of the form's fields. A fault of `line_items[0].quantity` belongs to the
 *   field with this name or, without such a field, to `line_items`
 */
export function splitFaults(
  problem: Problem,
  fields: readonly string[],
): { errors: Record<string, string>; rest: string | undefined } {
  const errors: Record<string, string> = {};
  const others: string[] = [];
  for (const { field, message } of problem.faults) {
    if (!message) continue;
    const name = findField(field ?? '', fields);
    if (name) errors[name] = errors[name] ? `${errors[name]} ${message}` : message;
    else others.push(message);
  }
  const isExplained = Object.keys(errors).length > 0 || others.length > 0;
  const rest = isExplained ? others.join(' ') : problem.message;
  return { errors, rest: rest === '' ? undefined : rest };
}

function findField(path: string, fields: readonly string[]): string | undefined {
  if (fields.includes(path)) return path;
  return fields
    .filter((name) => path.startsWith(`${name}.`) || path.startsWith(`${name}[`))
    .sort((a, b) => b.length - a.length)[0];
}
