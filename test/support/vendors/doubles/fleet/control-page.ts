import type { ServerResponse } from 'node:http';
import { escapeText, renderWebhookForm, sendPage } from '../../books/page.js';
import type { Fleet } from './fleet.js';
import type { FleetWebhooks } from './fleet-webhooks.js';

interface PageRequest {
  method: string;
  body: string;
  response: ServerResponse;
}

/** The parts of the double that the control page shows and changes. */
interface ControlledDouble {
  readonly texts: { vendor: string; secret: string };
  readonly fleets: readonly Fleet[];
  readonly webhooks: FleetWebhooks;
}

/**
 * Serves `/double/`. There a person sees the vehicles and where they are, enters the webhook, and
 * submits reports about vehicles.
 */
export function serveControlPage(double: ControlledDouble, { method, body, response }: PageRequest): void {
  if (method === 'POST') {
    runAction(double, new URLSearchParams(body));
    response.writeHead(303, { location: '/double/' }).end();
    return;
  }
  const { vendor, secret } = double.texts;
  const sections = double.fleets.map((fleet) => renderFleet(fleet, secret));
  const hint = `<p>No account yet. Connect ${vendor} in the product with any key.</p>`;
  sendPage(response, `${vendor} double`, sections.join('') || hint);
}

function runAction({ fleets, webhooks }: ControlledDouble, form: URLSearchParams): void {
  const read = (name: string) => (form.get(name) ?? '').trim();
  // The form of the webhook names no fleet: the last one is meant.
  const fleet = fleets.find(({ id }) => id === read('fleet')) ?? fleets.at(-1);
  if (!fleet) return;
  if (form.has('url')) {
    fleet.webhook = { url: read('url'), token: read('token') };
    return;
  }
  const vehicle = fleet.vehicles.find(({ id }) => id === read('vehicle'));
  const action = read('action');
  if (action === 'Add a vehicle') {
    const added = fleet.addVehicle({ name: read('name') || 'T-9' });
    webhooks.report(fleet, 'vehicle_added', added.id);
  }
  if (action === 'Add a driver') {
    const added = fleet.addDriver({ name: read('name') || 'Sam Rivera' });
    webhooks.report(fleet, 'driver_changed', added.id);
  }
  if (!vehicle) return;
  if (action === 'Report unsafe' || action === 'Report safe') {
    const isUnsafe = action === 'Report unsafe';
    const report = fleet.submitReport(vehicle.id, {
      verdict: isUnsafe ? 'unsafe' : 'safe',
      ...(fleet.drivers[0] ? { driverId: fleet.drivers[0].id } : {}),
      comments: isUnsafe ? ['The brakes pull to the left'] : [],
    });
    webhooks.report(fleet, 'report_changed', report.id);
  }
  if (action === 'Repair')
    for (const report of fleet.reports.filter(({ vehicleId }) => vehicleId === vehicle.id)) {
      fleet.resolve(report);
      webhooks.report(fleet, 'report_changed', report.id);
    }
}

function renderFleet(
  { id, name, vehicles, drivers, samples, reports, webhook }: Fleet,
  secret: string,
): string {
  const button = (action: string) => `<button name="action" value="${action}">${action}</button> `;
  const hidden = `<input type="hidden" name="fleet" value="${id}">`;
  const rows = vehicles.map((vehicle) => {
    const last = samples.findLast(({ vehicleId }) => vehicleId === vehicle.id);
    const place = last
      ? `${last.lat.toFixed(4)}, ${last.lng.toFixed(4)} at ${last.mph} mph, ${last.time}`
      : 'nowhere';
    const report = reports.findLast(({ vehicleId }) => vehicleId === vehicle.id)?.verdict ?? 'no report';
    return `<tr><td>${escapeText(vehicle.name)}</td><td>${escapeText(vehicle.vin ?? '')}</td><td>${place}</td><td>${report}</td>
      <td><form method="post">${hidden}<input type="hidden" name="vehicle" value="${vehicle.id}">${['Report unsafe', 'Report safe', 'Repair'].map(button).join('')}</form></td></tr>`;
  });
  return `<section><h2>${escapeText(name)} (${id})</h2>${renderWebhookForm(webhook, secret)}
    <p><a href="/double/">Refresh</a></p>
    <table><thead><tr><th>Vehicle</th><th>VIN</th><th>Position</th><th>Report</th><th></th></tr></thead><tbody>${rows.join('')}</tbody></table>
    <form method="post">${hidden}<label>Name <input name="name"></label> ${button('Add a vehicle')}${button('Add a driver')}</form>
    <p>Drivers: ${drivers.map(({ name: driver }) => escapeText(driver)).join(', ') || 'none'}</p></section>`;
}
