import type { ServerResponse } from 'node:http';

/** Sends a page for people. */
export function sendPage(response: ServerResponse, title: string, content: string): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(
    `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1>${content}</main></body></html>`,
  );
}

export function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The form in which a person enters where the double sends its webhooks. */
export function renderWebhookForm(
  target: { url: string; token: string } | undefined,
  secret: string,
): string {
  const { url = '', token = '' } = target ?? {};
  return `<form method="post"><label>Webhook URL <input name="url" size="60" value="${escapeText(url)}"></label>
    <label>${secret} <input name="token" size="40" value="${escapeText(token)}"></label> <button>Save webhook</button></form>`;
}
