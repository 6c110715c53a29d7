import { encode } from 'uqr';

const SVG = 'http://www.w3.org/2000/svg';

/** Draws a QR code. Always dark on white, because many cameras cannot read an inverted code. */
export function drawQrCode(text: string, label: string): SVGElement {
  const { data, size } = encode(text, { ecc: 'L', border: 2 });
  const svg = create('svg', {
    role: 'img',
    'aria-label': label,
    viewBox: `0 0 ${size} ${size}`,
    class: 'code',
  });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  svg.append(
    create('rect', { width: `${size}`, height: `${size}`, fill: '#fff' }),
    create('path', { d: path, fill: '#000', 'shape-rendering': 'crispEdges' }),
  );
  return svg;
}

function create(name: string, attributes: Record<string, string>): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  return element as SVGElement;
}
