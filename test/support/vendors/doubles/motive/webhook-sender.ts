import { createHmac } from 'node:crypto';
import type { Fleet } from '../fleet/fleet.js';
import { type FleetEvent, FleetWebhooks } from '../fleet/fleet-webhooks.js';

/** Builds the header with which Motive signs a webhook. */
export function signMotiveWebhook(body: string, secret: string): Record<string, string> {
  return { 'x-kt-webhook-signature': createHmac('sha1', secret).update(body).digest('hex') };
}

const NAMES: Readonly<Record<FleetEvent, string>> = {
  vehicle_added: 'vehicle_upserted',
  vehicle_changed: 'vehicle_upserted',
  driver_changed: 'user_upserted',
  report_changed: 'inspection_report_upserted',
};

export class MotiveWebhooks extends FleetWebhooks {
  constructor(private readonly check: (event: object) => void) {
    super();
  }

  report(fleet: Fleet, event: FleetEvent, id: string): void {
    this.send(fleet, NAMES[event], {
      id: Number(id),
      updated_at: new Date().toISOString(),
      trigger: event === 'vehicle_added' ? 'created' : 'updated',
    });
  }

  send(fleet: Fleet, action: string, members: object = {}): void {
    const event = { action, ...members };
    this.check(event);
    this.postSigned(fleet, JSON.stringify(this.habits.sendsLists ? [event] : event));
  }

  sign(body: string, secret: string): Record<string, string> {
    return signMotiveWebhook(body, secret);
  }
}
