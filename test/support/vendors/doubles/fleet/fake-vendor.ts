import type {
  OpenConnection,
  VendorRequest,
  VendorResponse,
} from '../../../../../shared/integrations/contract/connection.js';

export type Answer = { status?: number; body: unknown };

/** Answers a path with its answers in sequence. The last one is repeated. */
export class FakeVendor {
  readonly paths: URL[] = [];
  readonly headers: Record<string, string>[] = [];

  constructor(private readonly answers: Record<string, Answer[]>) {}

  readonly connection = {
    credentials: { api_token: 't', api_key: 't' },
    call: async ({ path, headers = {} }: VendorRequest): Promise<VendorResponse> => {
      const url = new URL(path, 'http://vendor.test');
      this.paths.push(url);
      this.headers.push(headers);
      const left = this.answers[url.pathname] ?? [];
      const { status = 200, body } = (left.length > 1 ? left.shift() : left[0]) ?? { status: 404, body: {} };
      return { status, headers: {}, body: Buffer.from(JSON.stringify(body)) } as VendorResponse;
    },
  } as unknown as OpenConnection;
}

/** A page as Samsara returns it. */
export const toSamsaraPage = (
  data: unknown,
  pagination: object = { endCursor: 'c', hasNextPage: false },
) => ({ body: { data, pagination } });

/** A page as Motive returns it. */
export const toMotivePage = (
  list: string,
  rows: unknown,
  pagination: unknown = { per_page: 100, page_no: 1, total: Array.isArray(rows) ? rows.length : 0 },
) => ({ body: { [list]: rows, pagination } });
