import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ContractCheck } from '../../contracts/contract-check.js';
import { type DoubleAnswer, type ReceivedCall, VendorDouble } from '../../contracts/vendor-double.js';
import { serveControlPage } from './control-page.js';
import { DEFECT_TYPE, SamsaraOrganisation } from './organisation.js';
import { SamsaraWebhooks } from './webhook-sender.js';

const openContract = () => ContractCheck.open('samsara', ['openapi.json']);

/**
 * Stands in for Samsara's API. It keeps organisations in memory, and checks every request and
 * answer against Samsara's contract.
 */
export class SamsaraDouble extends VendorDouble {
  readonly calls: { name: string; at: number; query: Record<string, string>; token: string }[] = [];
  readonly webhooks = new SamsaraWebhooks();
  readonly organisations: SamsaraOrganisation[] = [];
  /** If true, any token opens an organisation whose vehicles drive. */
  opensAnyToken = false;
  onOpened: (organisation: SamsaraOrganisation) => void = () => undefined;
  /** Sizes of the pages, which tests make small. */
  pageSize = 512;
  /** The number of empty pages that follow each page of positions, before a last one. */
  emptyPages = 0;
  protected readonly contract = openContract();
  protected readonly errorBody = { message: 'internal server error', requestId: 'a1b2' };
  private emptyLeft = 0;

  openOrganisation(apiToken = `samsara_api_${randomUUID().replaceAll('-', '')}`): SamsaraOrganisation {
    const organisation = new SamsaraOrganisation(apiToken);
    this.organisations.push(organisation);
    return organisation;
  }

  override async stop(): Promise<void> {
    await this.webhooks.stop();
    await super.stop();
  }

  /** The reads of the organisation's positions so far. */
  listPolls({ apiToken }: SamsaraOrganisation) {
    return this.calls.filter(
      ({ name, token }) => name === 'GET /fleet/vehicles/stats/feed' && token === apiToken,
    );
  }

  protected async serve(call: ReceivedCall, response: ServerResponse): Promise<void> {
    const { method, url, body, headers } = call;
    if (url.pathname === '/double/') return serveControlPage(this, { method, body, response });
    const name = `${method} ${url.pathname}`;
    const token = readToken(headers);
    this.calls.push({ name, at: Date.now(), query: Object.fromEntries(url.searchParams), token });
    await this.serveCall(name, call, response);
  }

  protected refuseByLimit(seconds: number): DoubleAnswer {
    return {
      status: 429,
      result: { message: 'Exceeded rate limit.', requestId: 'c3d4' },
      headers: { 'retry-after': String(seconds) },
    };
  }

  protected buildHeaders(): Record<string, string> {
    return { 'x-request-id': randomUUID() };
  }

  protected answer({ method, url, headers }: ReceivedCall): DoubleAnswer {
    const organisation = this.findOrganisation(readToken(headers));
    if (!organisation) return { status: 401, result: { message: 'Invalid token', requestId: 'e5f6' } };
    const query = Object.fromEntries(url.searchParams) as Record<string, string>;
    const listed = ['types', 'ids'].flatMap((name) => (query[name] ? [[name, query[name].split(',')]] : []));
    const call = { method, path: url.pathname, query: { ...query, ...Object.fromEntries(listed) } };
    const version = headers['x-samsara-version'];
    this.checkRequest(call, version === '2025-06-11' ? [] : [`X-Samsara-Version is ${version}`]);
    const answer = this.run(url.pathname, organisation, query);
    this.checkAnswer(call, answer);
    return answer;
  }

  private findOrganisation(token: string): SamsaraOrganisation | undefined {
    const known = this.organisations.find(({ apiToken }) => apiToken === token);
    if (known || !this.opensAnyToken || token === '') return known;
    const opened = this.openOrganisation(token);
    this.onOpened(opened);
    return opened;
  }

  private run(path: string, organisation: SamsaraOrganisation, query: Record<string, string>): DoubleAnswer {
    if (path === '/me')
      return { status: 200, result: { data: { id: organisation.id, name: organisation.name } } };
    if (path === '/fleet/vehicles') return this.list(organisation.vehicles, query);
    if (path === '/fleet/vehicles/stats/feed') return this.feed(organisation, query);
    const isChanged = ({ updatedAtTime }: { updatedAtTime: string }) =>
      Date.parse(updatedAtTime) >= Date.parse(query.startTime ?? '');
    if (path === '/dvirs/stream') return this.stream(organisation.dvirs.filter(isChanged), query);
    if (path === '/defects/stream') return this.list(organisation.defects.filter(isChanged), query);
    if (path === '/defect-types') {
      const type = { ...DEFECT_TYPE, createdAtTime: '2020-01-27T07:06:25Z', sectionType: 'other' };
      return this.list([type], query);
    }
    return { status: 404, result: { message: 'Not found', requestId: '0a0b' } };
  }

  private list(all: readonly object[], { after = '0' }: Record<string, string>): DoubleAnswer {
    const end = Number(after) + this.pageSize;
    return page(all.slice(Number(after), end), String(Math.min(end, all.length)), end < all.length);
  }

  /** A stream without an end: its cursor names the time of the last change that was read. */
  private stream(
    all: readonly { id: string; updatedAtTime: string }[],
    { after = '' }: Record<string, string>,
  ): DoubleAnswer {
    const key = ({ id, updatedAtTime }: { id: string; updatedAtTime: string }) => `${updatedAtTime}/${id}`;
    const left = all.filter((one) => key(one) > after).sort((a, b) => (key(a) < key(b) ? -1 : 1));
    const shown = left.slice(0, this.pageSize);
    const last = shown.at(-1);
    return page(shown, last ? key(last) : after, left.length > shown.length);
  }

  /** Without a cursor: the latest sample of each vehicle. With one: the samples since then. */
  private feed(organisation: SamsaraOrganisation, { after }: Record<string, string>): DoubleAnswer {
    const { samples, vehicles } = organisation;
    if (after !== undefined && !/^[\dx]+$/.test(after))
      return { status: 400, result: { message: 'Invalid cursor', requestId: '7a7b' } };
    const [offset = '0', place = String(samples.length)] = (after ?? '0').split('x');
    const isFirst = after === undefined || after.includes('x');
    if (!isFirst && this.emptyLeft > 0) {
      this.emptyLeft -= 1;
      // Another spelling of the same place, because each page has a cursor of its own.
      return page([], `0${after}`, true);
    }
    if (!isFirst) this.emptyLeft = this.emptyPages;
    const latest = vehicles.flatMap(({ id }) => samples.findLast(({ vehicleId }) => vehicleId === id) ?? []);
    const source = isFirst ? latest : samples;
    const end = Number(offset) + this.pageSize;
    const shown = source.slice(Number(offset), end);
    const hasMore = end < source.length;
    const next = isFirst ? (hasMore ? `${end}x${place}` : place) : String(Math.min(end, samples.length));
    return page(groupByVehicle(organisation, shown), next, hasMore);
  }
}

function readToken({ authorization }: ReceivedCall['headers']): string {
  return /^Bearer (\S+)$/.exec(String(authorization ?? ''))?.[1] ?? '';
}

function page(data: readonly object[], endCursor: string, hasNextPage: boolean): DoubleAnswer {
  return { status: 200, result: { data, pagination: { endCursor, hasNextPage } } };
}

function groupByVehicle(
  { vehicles }: SamsaraOrganisation,
  samples: readonly { vehicleId: string }[],
): object[] {
  const ids = [...new Set(samples.map(({ vehicleId }) => vehicleId))];
  return ids.map((id) => ({
    id,
    name: vehicles.find((vehicle) => vehicle.id === id)?.name ?? id,
    gps: samples
      .filter(({ vehicleId }) => vehicleId === id)
      .map(({ vehicleId: _id, ...sample }) => ({ ...sample, reverseGeo: { formattedLocation: 'NY' } })),
  }));
}
