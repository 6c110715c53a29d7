import type { InvoiceDocument } from './document.js';

/** Parts of the document that look different from the rest. */
export type Part =
  | 'mark'
  | 'logo'
  | 'sender'
  | 'contact'
  | 'title'
  | 'table'
  | 'label'
  | 'value'
  | 'head'
  | 'headAmount'
  | 'cell'
  | 'amount'
  | 'note'
  | 'sum'
  | 'sumAmount'
  | 'balance'
  | 'balanceAmount'
  | 'pay'
  | 'payHead'
  | 'payText';

/** The attribute that gives a part its looks: a class on a page, a style of its own in a mail, where programs drop the rest. */
export type Dress = (part: Part) => string;

/** Makes any text harmless in HTML, in elements and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Height of the logo in CSS pixels, and its width at most. */
const LOGO_BOX = { width: 240, height: 72 };

/**
 * The invoice as a fragment of HTML without scripts; every text of it is escaped. Quantity and
 * price stand below the service, so that a phone has room for the words.
 * @param logoUrl where the account's logo is; it is left out when there is none
 */
export function documentHtml(document: InvoiceDocument, dress: Dress, logoUrl: string): string {
  const { mark, sender, contact, title, billTo, facts, lines, sums, howToPay } = document;
  const factRows = [
    ...facts,
    ...(billTo.length > 0 ? [['Bill to', billTo.join('\n')] as [string, string]] : []),
  ].map(([label, value]) => `<tr>${th('row', 'label', label)}${td('value', lined(value))}</tr>`);
  const lineRows = lines.map(({ name, description, quantity, price, total }) => {
    const notes = [...(description ? [lined(description)] : []), escapeHtml(`${quantity} × ${price}`)];
    const service =
      breakable(escapeHtml(name)) + notes.map((note) => `<br><span ${dress('note')}>${note}</span>`).join('');
    return `<tr>${td('cell', service)}${td('amount', escapeHtml(total))}</tr>`;
  });
  const sumRows = sums.map(([label, value], index) => {
    const part = index === sums.length - 1 ? 'balance' : 'sum';
    return `<tr>${th('row', part, label)}${td(`${part}Amount`, escapeHtml(value))}</tr>`;
  });
  return [
    mark ? `<p ${dress('mark')}>${escapeHtml(mark)}</p>` : '',
    logoHtml(),
    `<p ${dress('sender')}>${escapeHtml(sender)}</p>`,
    contact.length > 0 ? `<p ${dress('contact')}>${lined(contact.join('\n'))}</p>` : '',
    `<h1 ${dress('title')}>${escapeHtml(title)}</h1>`,
    `<table ${dress('table')}>${factRows.join('')}</table>`,
    `<table ${dress('table')}><thead><tr>${th('col', 'head', 'Service')}${th('col', 'headAmount', 'Amount')}</tr></thead><tbody>${lineRows.join('')}</tbody></table>`,
    `<table ${dress('table')}>${sumRows.join('')}</table>`,
    payHtml(),
  ].join('\n');

  function td(part: Part, html: string): string {
    return `<td ${dress(part)}>${html}</td>`;
  }

  function th(scope: 'row' | 'col', part: Part, label: string): string {
    return `<th scope="${scope}" ${dress(part)}>${escapeHtml(label)}</th>`;
  }

  function logoHtml(): string {
    if (!document.logo) return '';
    const { width, height } = document.logo;
    const scale = Math.min(LOGO_BOX.width / width, LOGO_BOX.height / height, 1);
    const size = `width="${Math.round(width * scale)}" height="${Math.round(height * scale)}"`;
    // The name stands below it, so a reader who sees no pictures misses nothing.
    return `<img ${dress('logo')} src="${escapeHtml(logoUrl)}" ${size} alt="">`;
  }

  function payHtml(): string {
    if (howToPay.length === 0) return '';
    const paragraphs = howToPay.map((text) => `<p ${dress('payText')}>${lined(text)}</p>`);
    return `<div ${dress('pay')}><h2 ${dress('payHead')}>How to pay</h2>${paragraphs.join('')}</div>`;
  }
}

function lined(text: string): string {
  return breakable(escapeHtml(text)).replace(/\r?\n/g, '<br>');
}

/**
 * A word such as an e-mail address, which may be wider than a phone, breaks where it is joined and
 * nowhere else.
 */
function breakable(html: string): string {
  return html.replace(LONG_WORD, (word) => word.replace(/[@._/](?=.)/g, '$&<wbr>'));
}

const LONG_WORD = /\S{25,}/g;
