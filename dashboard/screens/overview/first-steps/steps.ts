import type { Schemas } from '../../../api/records';
import type { Search } from '../../../parts/url/use-url';
import { buildCurl } from '../../../parts/values/curl';

type Fact = keyof Schemas['OverviewFirstSteps'];

/** One step of a new account. The step is done when its fact is true. */
export interface Step {
  fact: Fact;
  title: string;
  text: string;
  /** The screen of the dashboard where a person takes the step. */
  link: { label: string; screen: string; search?: Search };
  /** The command by which a program takes the step. */
  curl?: string;
}

/** Returns the steps from the first key to the first agent, in their sequence. */
export function listSteps(): Step[] {
  return [...listConnectionSteps(), ...listWorkSteps()];
}

function listConnectionSteps(): Step[] {
  return [
    {
      fact: 'api_key_created',
      title: 'Create an API key',
      text: 'Your programs sign in with it. It is shown once, so store it where your programs find it.',
      link: { label: 'Open API keys', screen: 'settings', search: { tab: 'api-keys' } },
    },
    {
      fact: 'api_key_used',
      title: 'Send the first request',
      text: 'Put the key into the variable TOW_API_KEY, and ask who you are.',
      link: { label: 'Open API keys', screen: 'settings', search: { tab: 'api-keys' } },
      curl: buildCurl('/me'),
    },
    {
      fact: 'webhook_endpoint_created',
      title: 'Add a webhook endpoint',
      text: 'Events are sent to it as they happen.',
      link: { label: 'Open Webhooks', screen: 'webhooks' },
      curl: buildCurl('/webhook-endpoints', {
        method: 'POST',
        body: { url: 'https://example.com/hooks', event_types: ['*'] },
      }),
    },
    {
      fact: 'webhook_delivered',
      title: 'Send a test event',
      text: 'Your endpoint answers it with a status from 200 to 299.',
      link: { label: 'Open Webhooks', screen: 'webhooks' },
      curl: buildCurl('/webhook-endpoints/ENDPOINT_ID/test', {
        method: 'POST',
        body: { type: 'invoice.created' },
      }),
    },
  ];
}

function listWorkSteps(): Step[] {
  return [
    {
      fact: 'truck_created',
      title: 'Add a truck',
      text: 'Work orders are assigned to trucks. Drivers and rate cards are beside them in Settings.',
      link: { label: 'Open Trucks', screen: 'settings', search: { tab: 'trucks' } },
      curl: buildCurl('/trucks', { method: 'POST', body: { unit_number: 'T-1', duty_class: 'light' } }),
    },
    {
      fact: 'work_order_created',
      title: 'Create a work order',
      text: 'One tow, or one service at the roadside. It appears on the dispatch board.',
      link: { label: 'Open Work orders', screen: 'work-orders' },
      curl: buildCurl('/work-orders', {
        method: 'POST',
        body: { service_type: 'tow', pickup_location: '48 Warren Street, Hudson' },
      }),
    },
    {
      fact: 'invoice_created',
      title: 'Create an invoice',
      text: 'An invoice of a completed work order is priced from your rate card.',
      link: { label: 'Open Invoices', screen: 'invoices' },
      curl: buildCurl('/invoices', {
        method: 'POST',
        body: {
          invoice_number: 'INV-1',
          line_items: [
            {
              name: 'Tow',
              category: 'tow',
              quantity: 1,
              unit_type: 'each',
              unit_price_cents: 12_500,
            },
          ],
        },
      }),
    },
    {
      fact: 'payment_recorded',
      title: 'Record a payment',
      text: 'Open an invoice that was sent, and record what the customer paid.',
      link: { label: 'Open Invoices', screen: 'invoices' },
      curl: buildCurl('/invoices/INVOICE_ID/payments', {
        method: 'POST',
        body: { amount_cents: 12_500, method: 'card' },
      }),
    },
    {
      fact: 'agent_key_used',
      title: 'Connect an agent',
      text: 'Create an agent key, and give it to an MCP client. Drafts above your threshold wait for a person.',
      link: { label: 'Open Agent keys', screen: 'settings', search: { tab: 'agent-keys' } },
    },
  ];
}
