import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type DoubleAnswer, type ReceivedCall, VendorDouble } from '../../contracts/vendor-double.js';
import { serveControlPage } from './control-page.js';
import { Fleet } from './fleet.js';
import type { FleetWebhooks } from './fleet-webhooks.js';

/** Stands in for a telematics vendor. It keeps fleets in memory. */
export abstract class FleetDouble extends VendorDouble {
  readonly calls: { name: string; at: number; query: Record<string, string>; token: string }[] = [];
  readonly fleets: Fleet[] = [];
  abstract readonly webhooks: FleetWebhooks;
  /** The vendor's name, and that of the webhook's secret, on the control page. */
  abstract readonly texts: { vendor: string; secret: string };
  /** If true, any token opens a fleet. */
  opensAnyToken = false;
  onOpened: (fleet: Fleet) => void = () => undefined;
  /** The maximum size of a page, which tests make small. */
  pageSize = Number.POSITIVE_INFINITY;
  /** Values that are added to each list, although they are no records of the vendor. */
  badRecords: readonly unknown[] = [];
  /** The name of the call that reads the positions. */
  abstract readonly pollCall: string;
  protected abstract readonly tokenPrefix: string;

  openFleet(token = `${this.tokenPrefix}${randomUUID().replaceAll('-', '')}`): Fleet {
    const fleet = new Fleet(token);
    this.fleets.push(fleet);
    return fleet;
  }

  /** Behaves well again. */
  reset(): void {
    this.misbehave = () => undefined;
    Object.assign(this, { pageSize: Number.POSITIVE_INFINITY, badRecords: [] });
    Object.assign(this.webhooks.habits, { isLost: false, copies: 1, sendsLists: false });
  }

  override async stop(): Promise<void> {
    await this.webhooks.stop();
    await super.stop();
  }

  /** The reads of the fleet's positions so far. */
  listPolls({ token: own }: Fleet) {
    return this.calls.filter(({ name, token }) => name === this.pollCall && token === own);
  }

  protected abstract readToken(headers: ReceivedCall['headers']): string;
  /** Answers a request about one fleet. */
  protected abstract run(fleet: Fleet, call: ReceivedCall): DoubleAnswer;
  protected abstract refuseToken(): DoubleAnswer;

  protected async serve(call: ReceivedCall, response: ServerResponse): Promise<void> {
    const { method, url, body, headers } = call;
    if (url.pathname === '/double/') return serveControlPage(this, { method, body, response });
    const name = `${method} ${url.pathname}`;
    const token = this.readToken(headers);
    this.calls.push({ name, at: Date.now(), query: Object.fromEntries(url.searchParams), token });
    await this.serveCall(name, call, response);
  }

  protected buildHeaders(): Record<string, string> {
    return { 'x-request-id': randomUUID() };
  }

  protected answer(call: ReceivedCall): DoubleAnswer {
    const fleet = this.findFleet(this.readToken(call.headers));
    if (!fleet) return this.refuseToken();
    const answer = this.run(fleet, call);
    const list = Object.values(Object(answer.result)).find(Array.isArray);
    list?.unshift(...this.badRecords);
    return answer;
  }

  private findFleet(token: string): Fleet | undefined {
    const known = this.fleets.find((fleet) => fleet.token === token);
    if (known || !this.opensAnyToken || token === '') return known;
    const opened = this.openFleet(token);
    this.onOpened(opened);
    return opened;
  }
}
