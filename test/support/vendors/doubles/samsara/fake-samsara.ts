import type {
  OpenConnection,
  VendorResponse,
} from '../../../../../shared/integrations/contract/connection.js';

export type Answer = { status?: number; body: unknown };

/** Answers a path with its answers in sequence. The last one is repeated. */
export class FakeSamsara {
  readonly paths: URL[] = [];

  constructor(private readonly answers: Record<string, Answer[]>) {}

  readonly connection = {
    credentials: { api_token: 't' },
    call: async ({ path }: { path: string }): Promise<VendorResponse> => {
      const url = new URL(path, 'http://samsara.test');
      this.paths.push(url);
      const left = this.answers[url.pathname] ?? [];
      const { status = 200, body } = (left.length > 1 ? left.shift() : left[0]) ?? { status: 404, body: {} };
      return { status, headers: {}, body: Buffer.from(JSON.stringify(body)) } as VendorResponse;
    },
  } as unknown as OpenConnection;
}

export const toPage = (data: unknown, pagination: object = { endCursor: 'c', hasNextPage: false }) => ({
  body: { data, pagination },
});
