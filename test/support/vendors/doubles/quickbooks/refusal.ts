/** An error that the double returns in QuickBooks' format. */
export class Refusal extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status = 400,
    readonly type = 'ValidationFault',
  ) {
    super(message);
  }

  get body(): object {
    return buildFault(this.code, this.message, this.type);
  }
}

export function buildFault(code: string, message: string, type = 'ValidationFault'): object {
  return {
    Fault: { Error: [{ Message: message, Detail: message, code, element: '' }], type },
    time: new Date().toISOString(),
  };
}
