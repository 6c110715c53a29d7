import { ContractCheck } from '../../contracts/contract-check.js';
import type { DoubleAnswer, ReceivedCall } from '../../contracts/vendor-double.js';
import type { Fleet } from '../fleet/fleet.js';
import { FleetDouble } from '../fleet/fleet-double.js';
import { DEFECT_TYPE, groupSamples, listDefects, toDriver, toDvir, toVehicle } from './records.js';
import { SamsaraWebhooks } from './webhook-sender.js';

/** Samsara's description has this limit, its schema does not. */
const MAX_TYPES = 3;
const openContract = () => ContractCheck.open('samsara', ['openapi.json']);

/**
 * Stands in for Samsara's API. It checks every request and answer against Samsara's contract.
 */
export class SamsaraDouble extends FleetDouble {
  readonly webhooks = new SamsaraWebhooks();
  readonly texts = { vendor: 'Samsara', secret: 'Secret key (base64)' };
  readonly pollCall = 'GET /fleet/vehicles/stats/feed';
  /** The number of empty pages that follow each page of positions, before a last one. */
  emptyPages = 0;
  protected readonly tokenPrefix = 'samsara_api_';
  protected readonly contract = openContract();
  protected readonly errorBody = { message: 'internal server error', requestId: 'a1b2' };
  private emptyLeft = 0;

  override reset(): void {
    super.reset();
    this.emptyPages = 0;
  }

  protected refuseByLimit(seconds: number): DoubleAnswer {
    return {
      status: 429,
      result: { message: 'Exceeded rate limit.', requestId: 'c3d4' },
      headers: { 'retry-after': String(seconds) },
    };
  }

  protected refuseToken(): DoubleAnswer {
    return { status: 401, result: { message: 'Invalid token', requestId: 'e5f6' } };
  }

  protected readToken({ authorization }: ReceivedCall['headers']): string {
    return /^Bearer (\S+)$/.exec(String(authorization ?? ''))?.[1] ?? '';
  }

  protected run(fleet: Fleet, { method, url, headers }: ReceivedCall): DoubleAnswer {
    const query = Object.fromEntries(url.searchParams) as Record<string, string>;
    const listed = ['types', 'ids'].flatMap((name) => (query[name] ? [[name, query[name].split(',')]] : []));
    const call = { method, path: url.pathname, query: { ...query, ...Object.fromEntries(listed) } };
    const version = headers['x-samsara-version'];
    this.checkRequest(call, version === '2025-06-11' ? [] : [`X-Samsara-Version is ${version}`]);
    const answer = this.read(url.pathname, fleet, query);
    this.checkAnswer(call, answer);
    return answer;
  }

  private read(path: string, fleet: Fleet, query: Record<string, string>): DoubleAnswer {
    if (path === '/me') return { status: 200, result: { data: { id: fleet.id, name: fleet.name } } };
    if (path === '/fleet/vehicles') return this.list(fleet.vehicles.map(toVehicle), query);
    if (path === '/fleet/drivers') return this.list(fleet.drivers.map(toDriver), query);
    if (path === '/fleet/vehicles/stats/feed') return this.feed(fleet, query);
    const isChanged = ({ updatedAtTime }: { updatedAtTime: string }) =>
      Date.parse(updatedAtTime) >= Date.parse(query.startTime ?? '');
    if (path === '/dvirs/stream') return this.stream(fleet.reports.map(toDvir).filter(isChanged), query);
    if (path === '/defects/stream')
      return this.list(fleet.reports.flatMap(listDefects).filter(isChanged), query);
    if (path === '/defect-types') {
      const type = { ...DEFECT_TYPE, createdAtTime: '2020-01-27T07:06:25Z', sectionType: 'other' };
      return this.list([type], query);
    }
    return { status: 404, result: { message: 'Not found', requestId: '0a0b' } };
  }

  private list(all: readonly object[], { after = '0' }: Record<string, string>): DoubleAnswer {
    const end = Math.min(Number(after) + this.pageSize, all.length);
    const isLast = end >= all.length;
    // Samsara's SDK reads on until the cursor is empty.
    return page(all.slice(Number(after), end), isLast ? '' : String(end), !isLast);
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
  private feed(fleet: Fleet, { after, types = '' }: Record<string, string>): DoubleAnswer {
    const { samples, vehicles } = fleet;
    const wanted = types.split(',');
    if (wanted.length > MAX_TYPES)
      return { status: 400, result: { message: 'Too many types', requestId: '8a8b' } };
    if (after !== undefined && !/^[\dx]+$/.test(after))
      return { status: 400, result: { message: 'Invalid cursor', requestId: '7a7b' } };
    // A cursor is a number of samples.
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
    const end = Math.min(Number(offset) + this.pageSize, source.length);
    const shown = source.slice(Number(offset), end);
    const hasMore = end < source.length;
    const next = isFirst ? (hasMore ? `${end}x${place}` : place) : String(end);
    return page(groupSamples(fleet, shown, wanted), next, hasMore);
  }
}

function page(data: readonly object[], endCursor: string, hasNextPage: boolean): DoubleAnswer {
  return { status: 200, result: { data: [...data], pagination: { endCursor, hasNextPage } } };
}
