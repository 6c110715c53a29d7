import { createHmac, randomUUID } from 'node:crypto';
import type { Fleet } from '../fleet/fleet.js';
import { type FleetEvent, FleetWebhooks } from '../fleet/fleet-webhooks.js';

/** Builds the headers with which Samsara signs a webhook. The secret is base64. */
export function signSamsaraWebhook(
  body: string,
  secret: string,
  seconds = Math.floor(Date.now() / 1000),
): Record<string, string> {
  const hex = createHmac('sha256', Buffer.from(secret, 'base64'))
    .update(`v1:${seconds}:${body}`)
    .digest('hex');
  return { 'x-samsara-timestamp': String(seconds), 'x-samsara-signature': `v1=${hex}` };
}

const NAMES: Readonly<Record<FleetEvent, string>> = {
  vehicle_added: 'VehicleCreated',
  vehicle_changed: 'VehicleUpdated',
  driver_changed: 'DriverUpdated',
  report_changed: 'DvirSubmitted',
};

export class SamsaraWebhooks extends FleetWebhooks {
  report(fleet: Fleet, event: FleetEvent, id: string): void {
    const member = { report_changed: 'dvir', driver_changed: 'driver' }[event as string] ?? 'vehicle';
    this.send(fleet, NAMES[event], { [member]: { id } });
  }

  send(fleet: Fleet, eventType: string, data: object = {}): void {
    const body = JSON.stringify({
      eventId: randomUUID(),
      eventTime: new Date().toISOString(),
      eventType,
      orgId: Number(fleet.id),
      webhookId: '1411751028848270',
      data,
    });
    this.postSigned(fleet, body);
  }

  sign(body: string, secret: string): Record<string, string> {
    return signSamsaraWebhook(body, secret);
  }
}
