import { randomUUID } from 'node:crypto';

/** Returns a POST request as raw text, with a new Idempotency-Key. */
export function postRequest(key: string, path: string, input: unknown): string {
  const body = JSON.stringify(input);
  return [
    `POST /v1${path} HTTP/1.1`,
    'Host: bench',
    `Authorization: Bearer ${key}`,
    `Idempotency-Key: ${randomUUID()}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

let sequence = 0;

/**
 * Returns a function that builds requests as raw text. Each request creates another invoice with
 * two line items.
 */
export function newInvoiceRequest(key: string): () => string {
  return () => {
    sequence += 1;
    return postRequest(key, '/invoices', {
      invoice_number: `B-${process.pid}-${sequence}`,
      billing_email: 'billing@example.com',
      notes: 'Towed from the shoulder of I-87 north',
      line_items: [
        {
          name: 'Light-duty tow',
          category: 'tow',
          quantity: 1,
          unit_type: 'each',
          unit_price_cents: 12500,
          total_cents: 12500,
          taxable: true,
        },
        {
          name: 'Mileage',
          category: 'mileage',
          quantity: 7.5,
          unit_type: 'mile',
          unit_price_cents: 450,
          total_cents: 3375,
        },
      ],
    });
  };
}

/** Returns a function that builds GET requests as raw text. */
export function readRequest(key: string, path: () => string): () => string {
  return () => `GET ${path()} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}

/** Builds a `tools/call` request like those of the official MCP client. */
export function toolCallRequest(key: string, name: string, args: () => object): () => string {
  let id = 0;
  return () => {
    id += 1;
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: args() },
    });
    return `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };
}
