/** An error in the form of RoadSync's service: a code, and a title for people. */
export class RoadSyncRefusal extends Error {
  constructor(
    readonly code: string,
    title: string,
    readonly status = 400,
  ) {
    super(title);
  }

  get body(): object {
    return { errors: [{ code: this.code, title: this.message }] };
  }
}

/** The body of an error of the API gateway before RoadSync's service, which has no title. */
export function buildGatewayError(code: string, detail: string): object {
  return { errors: [{ code, detail }] };
}
