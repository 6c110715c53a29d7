import { type MapLibreMap, Marker } from 'maplibre-gl';
import { humanize } from '../../../../parts/record/status-badge';
import type { BoardView } from '../../board/board-view';
import type { Position } from './positions';

/** Puts a marker at each position. Returns a function that removes the markers. */
export function showMarkers(
  map: MapLibreMap,
  positions: readonly Position[],
  board: Pick<BoardView, 'open' | 'hrefOf'>,
): () => void {
  const markers = positions.map((position) => {
    const element = position.kind === 'pickup' ? createLink(position, board) : createSign(position);
    return new Marker({ element }).setLngLat([position.lng, position.lat]).addTo(map);
  });
  return () => {
    for (const marker of markers) marker.remove();
  };
}

/** Creates the sign of a truck, with its name and the meaning of its colour in words. */
function createSign({ name, detail, isOld }: Position): HTMLElement {
  const element = document.createElement('span');
  element.className = 'dispatch-marker';
  element.textContent = name.replace(/^Truck /, '');
  element.setAttribute('role', 'img');
  const age = isOld ? ', position older than 5 min' : '';
  element.setAttribute('aria-label', `${name}, ${humanize(detail).toLowerCase()}${age}`);
  if (isOld) element.dataset.old = '';
  return element;
}

/** Creates the link at a pickup. The link opens the drawer of the work order. */
function createLink({ id, name, detail }: Position, { open, hrefOf }: Pick<BoardView, 'open' | 'hrefOf'>) {
  const element = document.createElement('a');
  element.className = 'dispatch-marker';
  element.href = hrefOf(id);
  element.textContent = '○';
  element.dataset.pickup = '';
  element.setAttribute('aria-label', `${name}, waiting${detail ? `, ${detail}` : ''}`);
  element.addEventListener('click', (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    open(id);
  });
  return element;
}
