import { type LngLatBoundsLike, MapLibreMap, setWorkerUrl } from 'maplibre-gl';
import 'maplibre-gl/dist/maplibre-gl.css';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { useEffect, useRef, useState } from 'react';
import { useBoard } from '../../board/board-view';
import './street-map.css';
import { showMarkers } from './markers';
import { countPositions, type Position } from './positions';

/** If the map is not complete after this time, the page shows the plan instead. */
const MAX_LOADING_MS = 15_000;

export interface StreetMapProps {
  /** Address of a MapLibre style. */
  styleUrl: string;
  positions: readonly Position[];
  /** Called if the style, a tile or WebGL fails. */
  onFailure: () => void;
}

setWorkerUrl(workerUrl);

/** The positions on a map with streets, as markers that have names. */
export function StreetMap({ styleUrl, positions, onFailure }: StreetMapProps) {
  const holder = useRef<HTMLDivElement>(null);
  const { open, hrefOf } = useBoard();
  const [map, setMap] = useState<MapLibreMap>();
  const [attribution, setAttribution] = useState('');
  const first = useRef({ positions, onFailure });
  useEffect(() => {
    if (!holder.current) return;
    const opened = openMap(holder.current, styleUrl, first.current);
    if (!opened) return;
    setMap(opened);
    opened.once('load', () => setAttribution(readAttribution(opened)));
    return () => opened.remove();
  }, [styleUrl]);
  useEffect(() => map && showMarkers(map, positions, { open, hrefOf }), [map, positions, open, hrefOf]);
  return (
    <figure className="dispatch-map">
      <div ref={holder} className="dispatch-streets" />
      <div className="dispatch-row">
        <button type="button" className="dispatch-button" onClick={() => map?.zoomIn()}>
          Zoom in
        </button>
        <button type="button" className="dispatch-button" onClick={() => map?.zoomOut()}>
          Zoom out
        </button>
      </div>
      <figcaption className="dispatch-dim">{attribution}</figcaption>
    </figure>
  );
}

function openMap(
  container: HTMLElement,
  style: string,
  { positions, onFailure }: Omit<StreetMapProps, 'styleUrl'>,
): MapLibreMap | undefined {
  try {
    const map = new MapLibreMap({
      container,
      style,
      bounds: findBounds(positions),
      fitBoundsOptions: { padding: 36, maxZoom: 15 },
      locale: { 'Map.Title': `Map of ${countPositions(positions)}` },
      // MapLibre's own attribution control parses HTML, which Trusted Types forbid.
      attributionControl: false,
      // The mouse wheel must scroll the page, not zoom the map.
      scrollZoom: false,
      dragRotate: false,
    });
    const timer = setTimeout(onFailure, MAX_LOADING_MS);
    map.on('remove', () => clearTimeout(timer));
    map.on('error', onFailure);
    map.on('webglcontextlost', onFailure);
    map.once('load', () => {
      clearTimeout(timer);
      // From now on, a failed tile only leaves a hole in the map. Keep a listener, because without
      // one the library writes errors to the console.
      map.off('error', onFailure);
      map.on('error', () => undefined);
    });
    return map;
  } catch {
    // MapLibre throws in browsers without WebGL 2.
    onFailure();
    return undefined;
  }
}

function findBounds(positions: readonly Position[]): LngLatBoundsLike {
  const lngs = positions.map(({ lng }) => lng);
  const lats = positions.map(({ lat }) => lat);
  return [Math.min(...lngs), Math.min(...lats), Math.max(...lngs), Math.max(...lats)];
}

/**
 * Returns the names of the map's providers as text. Most providers require that a map shows them.
 */
function readAttribution(map: MapLibreMap): string {
  const texts = Object.keys(map.getStyle().sources).map((id) => {
    const html = map.getSource(id)?.attribution ?? '';
    return html
      .replace(/<[^>]*>/g, '')
      .replaceAll('&copy;', '©')
      .replaceAll('&amp;', '&')
      .trim();
  });
  return [...new Set(texts.filter((text) => text !== ''))].join(' | ');
}
