import { join } from 'node:path';
import { ContractCheck } from '../../contracts/contract-check.js';
import type { DoubleAnswer, ReceivedCall } from '../../contracts/vendor-double.js';
import type { Fleet } from '../fleet/fleet.js';
import { FleetDouble } from '../fleet/fleet-double.js';
import { toInspectionReport, toLocatedVehicle, toUser, toVehicle } from './records.js';
import { MotiveWebhooks } from './webhook-sender.js';

/** The company and the inspection reports are missing in the contract of the vendors' folder. */
const MORE_PATHS = join(import.meta.dirname, 'more-paths.json');
const openContract = () => ContractCheck.open('motive', ['contract.json', MORE_PATHS]);
const MAX_PAGE_SIZE = 100;

/**
 * Stands in for Motive's API. It checks every request and answer against a contract that was
 * written by hand from Motive's pages, because Motive publishes none.
 */
export class MotiveDouble extends FleetDouble {
  readonly webhooks = new MotiveWebhooks((event) =>
    this.violations.push(...(this.contract?.checkSchema('WebhookEvent', event) ?? [])),
  );
  readonly texts = { vendor: 'Motive', secret: 'Secret (20 characters)' };
  readonly pollCall = 'GET /v1/vehicle_locations';
  protected readonly tokenPrefix = 'motive-';
  protected readonly contract = openContract();
  protected readonly errorBody = { error_message: 'internal server error' };

  protected refuseByLimit(seconds: number): DoubleAnswer {
    return {
      status: 429,
      result: { error_message: 'Too many requests' },
      headers: { 'retry-after': String(seconds) },
    };
  }

  protected refuseToken(): DoubleAnswer {
    return { status: 401, result: { error_message: 'The api key is invalid' } };
  }

  protected readToken(headers: ReceivedCall['headers']): string {
    return String(headers['x-api-key'] ?? '');
  }

  protected run(fleet: Fleet, { method, url, headers }: ReceivedCall): DoubleAnswer {
    const query = Object.fromEntries(url.searchParams) as Record<string, string>;
    const call = { method, path: url.pathname, query };
    const units = headers['x-metric-units'];
    this.checkRequest(call, units === 'false' ? [] : [`X-Metric-Units is ${units}`]);
    const answer = this.read(url.pathname, fleet, query);
    this.checkAnswer(call, answer);
    return answer;
  }

  private read(path: string, fleet: Fleet, query: Record<string, string>): DoubleAnswer {
    const { vehicles, drivers, reports, id, name } = fleet;
    if (path === '/v1/companies') {
      const company = { id: Number(id), company_id: 'hudson', name };
      return { status: 200, result: { companies: [{ company }] } };
    }
    if (path === '/v1/vehicles')
      return this.list(
        query,
        'vehicle',
        vehicles.map((vehicle) => toVehicle(fleet, vehicle)),
      );
    if (path === '/v1/users') {
      const others = [{ id: 1, first_name: 'Office', role: 'fleet_user', status: 'active' }];
      const users = query.role === 'driver' ? [] : others;
      return this.list(query, 'user', [...users, ...drivers.map(toUser)]);
    }
    if (path === '/v1/vehicle_locations')
      return this.list(
        query,
        'vehicle',
        vehicles.map((vehicle) => toLocatedVehicle(fleet, vehicle)),
      );
    if (path === '/v2/inspection_reports') {
      const after = Date.parse(query.updated_after ?? '1970-01-01');
      const changed = reports.filter(({ updatedAt }) => Date.parse(updatedAt) > after);
      return this.list(query, 'inspection_report', changed.map(toInspectionReport));
    }
    return { status: 404, result: { error_message: 'Not found' } };
  }

  private list(query: Record<string, string>, item: string, all: readonly object[]): DoubleAnswer {
    const size = Math.min(this.pageSize, Number(query.per_page ?? 25), MAX_PAGE_SIZE);
    const page = Number(query.page_no ?? 1);
    const rows = all.slice((page - 1) * size, page * size).map((row) => ({ [item]: row }));
    const pagination = { per_page: size, page_no: page, total: all.length };
    return { status: 200, result: { [`${item}s`]: rows, pagination } };
  }
}
