import { WebhookPosts } from '../../../network/webhook-posts.js';
import type { Fleet } from './fleet.js';

/** What the vendors of fleets report by webhooks. */
export type FleetEvent = 'vehicle_added' | 'vehicle_changed' | 'driver_changed' | 'report_changed';

/** Sends the webhooks of fleets to the addresses that their people have entered. */
export abstract class FleetWebhooks extends WebhookPosts {
  /**
   * If `isLost`, webhooks are lost. `copies` of each webhook are sent at the same time. If
   * `sendsLists`, a vendor that may send a list of events does.
   */
  readonly habits = { isLost: false, copies: 1, sendsLists: false };

  /** Reports an event of a record with this id, in the words of the vendor. */
  abstract report(fleet: Fleet, event: FleetEvent, id: string): void;
  /** Sends an event of any name. */
  abstract send(fleet: Fleet, name: string, members?: object): void;
  /** Builds the headers with which the vendor signs a body. */
  abstract sign(body: string, secret: string): Record<string, string>;

  protected postSigned({ webhook }: Fleet, body: string): void {
    if (!webhook || this.habits.isLost) return;
    const { url, token } = webhook;
    this.post({ url, body, buildHeaders: () => this.sign(body, token), copies: this.habits.copies });
  }
}
