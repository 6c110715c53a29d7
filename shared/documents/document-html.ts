import type { InvoiceDocument } from './document.js';
import type { LogoRef } from './document-rows.js';

export type DocumentPart =
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

/**
 * Returns the HTML attribute that styles a part of the document: a class on the invoice page, an
 * inline style in a mail. Mails need inline styles, because mail programs drop style sheets.
 */
export type StyleAttributeFor = (part: DocumentPart) => string;

/** Escapes text for HTML elements and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Maximum size of the logo, in CSS pixels. */
const LOGO_BOX = { width: 240, height: 72 };

/** Returns the HTML attributes that show the logo within its maximum size. */
export function buildLogoSizeAttributes({ width, height }: Pick<LogoRef, 'width' | 'height'>): string {
  const scale = Math.min(LOGO_BOX.width / width, LOGO_BOX.height / height, 1);
  return `width="${Math.round(width * scale)}" height="${Math.round(height * scale)}"`;
}

/**
 * Renders the document as HTML, with every text escaped. Quantity and price stand below the
 * service's name, so that the name has enough width on a phone.
 * @param logoUrl used only if the account has a logo
 */
export function renderInvoiceHtml(
  document: InvoiceDocument,
  styleAttribute: StyleAttributeFor,
  logoUrl: string,
): string {
  const { mark, sender, contact, title, billTo, facts, lines, sums, howToPay } = document;
  const factRows = [
    ...facts,
    ...(billTo.length > 0 ? [['Bill to', billTo.join('\n')] as [string, string]] : []),
  ].map(([label, value]) => `<tr>${th('row', 'label', label)}${td('value', escapeLines(value))}</tr>`);
  const lineRows = lines.map(({ name, description, quantity, price, total }) => {
    const notes = [...(description ? [escapeLines(description)] : []), escapeHtml(`${quantity} × ${price}`)];
    const service =
      addWordBreaks(escapeHtml(name)) +
      notes.map((note) => `<br><span ${styleAttribute('note')}>${note}</span>`).join('');
    return `<tr>${td('cell', service)}${td('amount', escapeHtml(total))}</tr>`;
  });
  const sumRows = sums.map(([label, value], index) => {
    const part = index === sums.length - 1 ? 'balance' : 'sum';
    return `<tr>${th('row', part, label)}${td(`${part}Amount`, escapeHtml(value))}</tr>`;
  });
  return [
    mark ? `<p ${styleAttribute('mark')}>${escapeHtml(mark)}</p>` : '',
    logoHtml(),
    `<p ${styleAttribute('sender')}>${escapeHtml(sender)}</p>`,
    contact.length > 0 ? `<p ${styleAttribute('contact')}>${escapeLines(contact.join('\n'))}</p>` : '',
    `<h1 ${styleAttribute('title')}>${escapeHtml(title)}</h1>`,
    `<table ${styleAttribute('table')}>${factRows.join('')}</table>`,
    `<table ${styleAttribute('table')}><thead><tr>${th('col', 'head', 'Service')}${th('col', 'headAmount', 'Amount')}</tr></thead><tbody>${lineRows.join('')}</tbody></table>`,
    `<table ${styleAttribute('table')}>${sumRows.join('')}</table>`,
    payHtml(),
  ].join('\n');

  function td(part: DocumentPart, html: string): string {
    return `<td ${styleAttribute(part)}>${html}</td>`;
  }

  function th(scope: 'row' | 'col', part: DocumentPart, label: string): string {
    return `<th scope="${scope}" ${styleAttribute(part)}>${escapeHtml(label)}</th>`;
  }

  function logoHtml(): string {
    if (!document.logo) return '';
    // The company's name follows as text, so `alt` is empty.
    return `<img ${styleAttribute('logo')} src="${escapeHtml(logoUrl)}" ${buildLogoSizeAttributes(document.logo)} alt="">`;
  }

  function payHtml(): string {
    if (howToPay.length === 0) return '';
    const paragraphs = howToPay.map((text) => `<p ${styleAttribute('payText')}>${escapeLines(text)}</p>`);
    return `<div ${styleAttribute('pay')}><h2 ${styleAttribute('payHead')}>How to pay</h2>${paragraphs.join('')}</div>`;
  }
}

function escapeLines(text: string): string {
  return addWordBreaks(escapeHtml(text)).replace(/\r?\n/g, '<br>');
}

/** Lets long words such as email addresses break after @ . _ and /, so that they fit on a phone. */
function addWordBreaks(html: string): string {
  return html.replace(LONG_WORD, (word) => word.replace(/[@._/](?=.)/g, '$&<wbr>'));
}

const LONG_WORD = /\S{25,}/g;
