import type { InvoiceDocument } from './document.js';

/** Parts of the document that look different from the rest. */
export type Part =
  | 'mark'
  | 'sender'
  | 'table'
  | 'label'
  | 'head'
  | 'cell'
  | 'amount'
  | 'note'
  | 'sum'
  | 'balance';

/** The attribute that gives a part its looks: a class on a page, a style of its own in a mail, where programs drop the rest. */
export type Dress = (part: Part) => string;

/** Makes any text harmless in HTML, in elements and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The invoice as a fragment of HTML, without pictures or scripts; every text of it is escaped. */
export function documentHtml(document: InvoiceDocument, dress: Dress): string {
  const { mark, sender, title, billTo, facts, lines, sums } = document;
  const factRows = [
    ...facts,
    ...(billTo.length > 0 ? [['Bill to', billTo.join('\n')] as [string, string]] : []),
  ].map(([label, value]) => `<tr>${th('row', 'label', label)}${td('cell', lined(value))}</tr>`);
  const lineRows = lines.map(
    ({ name, description, quantity, price, total }) =>
      `<tr>${td('cell', `${escapeHtml(name)}${description ? `<br><span ${dress('note')}>${lined(description)}</span>` : ''}`)}` +
      `${td('amount', escapeHtml(quantity))}${td('amount', escapeHtml(price))}${td('amount', escapeHtml(total))}</tr>`,
  );
  const sumRows = sums.map(([label, value], index) => {
    const part = index === sums.length - 1 ? 'balance' : 'sum';
    return `<tr>${th('row', part, label)}${td(part, escapeHtml(value))}</tr>`;
  });
  const heads = ['Service', 'Quantity', 'Price', 'Amount'].map((label) => th('col', 'head', label));
  return [
    mark ? `<p ${dress('mark')}>${escapeHtml(mark)}</p>` : '',
    `<p ${dress('sender')}>${escapeHtml(sender)}</p><h1>${escapeHtml(title)}</h1>`,
    `<table ${dress('table')}>${factRows.join('')}</table>`,
    `<table ${dress('table')}><thead><tr>${heads.join('')}</tr></thead><tbody>${lineRows.join('')}</tbody></table>`,
    `<table ${dress('table')}>${sumRows.join('')}</table>`,
  ].join('\n');

  function td(part: Part, html: string): string {
    return `<td ${dress(part)}>${html}</td>`;
  }

  function th(scope: 'row' | 'col', part: Part, label: string): string {
    return `<th scope="${scope}" ${dress(part)}>${escapeHtml(label)}</th>`;
  }
}

function lined(text: string): string {
  return escapeHtml(text).replace(/\r?\n/g, '<br>');
}
