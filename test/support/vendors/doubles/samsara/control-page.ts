import type { ServerResponse } from 'node:http';
import { escapeText, renderWebhookForm, sendPage } from '../../books/page.js';
import type { SamsaraOrganisation } from './organisation.js';
import type { SamsaraWebhooks } from './webhook-sender.js';

interface PageRequest {
  method: string;
  body: string;
  response: ServerResponse;
}

/** The parts of the double that the control page shows and changes. */
interface ControlledDouble {
  readonly organisations: readonly SamsaraOrganisation[];
  readonly webhooks: SamsaraWebhooks;
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
  const sections = double.organisations.map(renderOrganisation);
  const hint = '<p>No account yet. Connect Samsara in the product with any API token.</p>';
  sendPage(response, 'Samsara double', sections.join('') || hint);
}

function runAction({ organisations, webhooks }: ControlledDouble, form: URLSearchParams): void {
  const read = (name: string) => (form.get(name) ?? '').trim();
  // The form of the webhook names no organisation: the last one is meant.
  const organisation = organisations.find(({ id }) => id === read('organisation')) ?? organisations.at(-1);
  if (!organisation) return;
  if (form.has('url')) {
    organisation.webhook = { url: read('url'), token: read('token') };
    return;
  }
  const vehicle = organisation.vehicles.find(({ id }) => id === read('vehicle'));
  const action = read('action');
  if (action === 'Add a vehicle') {
    const added = organisation.addVehicle({ name: read('name') || 'T-9' });
    webhooks.send(organisation, 'VehicleCreated', { vehicle: { id: added.id, name: added.name } });
  }
  if (!vehicle) return;
  if (action === 'Report unsafe' || action === 'Report safe') {
    const isUnsafe = action === 'Report unsafe';
    const dvir = organisation.submitDvir(vehicle.id, {
      safetyStatus: isUnsafe ? 'unsafe' : 'safe',
      comments: isUnsafe ? ['The brakes pull to the left'] : [],
    });
    webhooks.send(organisation, 'DvirSubmitted', { dvir: { id: dvir.id } });
  }
  if (action === 'Repair')
    for (const dvir of organisation.dvirs.filter((one) => one.vehicle.id === vehicle.id)) {
      organisation.resolve(dvir);
      webhooks.send(organisation, 'DvirSubmitted', { dvir: { id: dvir.id } });
    }
}

function renderOrganisation(organisation: SamsaraOrganisation): string {
  const { id, name, vehicles, samples, dvirs, webhook } = organisation;
  const button = (action: string) => `<button name="action" value="${action}">${action}</button> `;
  const hidden = `<input type="hidden" name="organisation" value="${id}">`;
  const rows = vehicles.map((vehicle) => {
    const last = samples.findLast(({ vehicleId }) => vehicleId === vehicle.id);
    const place = last
      ? `${last.latitude.toFixed(4)}, ${last.longitude.toFixed(4)} at ${last.speedMilesPerHour} mph, ${last.time}`
      : 'nowhere';
    const report = dvirs.findLast((dvir) => dvir.vehicle.id === vehicle.id)?.safetyStatus ?? 'no report';
    return `<tr><td>${escapeText(vehicle.name)}</td><td>${escapeText(vehicle.vin ?? '')}</td><td>${place}</td><td>${report}</td>
      <td><form method="post">${hidden}<input type="hidden" name="vehicle" value="${vehicle.id}">${['Report unsafe', 'Report safe', 'Repair'].map(button).join('')}</form></td></tr>`;
  });
  return `<section><h2>${escapeText(name)} (${id})</h2>${renderWebhookForm(webhook, 'Secret key (base64)')}
    <p><a href="/double/">Refresh</a></p>
    <table><thead><tr><th>Vehicle</th><th>VIN</th><th>Position</th><th>Report</th><th></th></tr></thead><tbody>${rows.join('')}</tbody></table>
    <form method="post">${hidden}<label>Name <input name="name"></label> ${button('Add a vehicle')}</form></section>`;
}
