import { lazy, memo, Suspense, useEffect, useState } from 'react';
import { api } from '../../../../api/client';
import { useUrl, useUrlSearch } from '../../../../parts/url/use-url';
import { PositionDetails } from './position-table';
import type { Position } from './positions';
import type { StreetMapProps } from './street-map';
import { TruckMap } from './truck-map';

/**
 * The map library is as large as all screens together. So it is loaded only for people who choose
 * the map with streets.
 */
const StreetMap = lazy(async () => {
  const loaded = await import('./street-map').catch(() => undefined);
  return { default: loaded?.StreetMap ?? Missing };
});

/**
 * The known positions as a plan and as a table. If the operator has set a map style, people may
 * choose a map with streets instead. If that map fails, the plan stays.
 */
export const FleetMap = memo(function FleetMap({ positions }: { positions: readonly Position[] }) {
  const { data } = api.useQuery('get', '/map-style', {}, { staleTime: Number.POSITIVE_INFINITY });
  const { map } = useUrlSearch();
  const { setSearch } = useUrl();
  const [hasFailed, setFailed] = useState(false);
  const styleUrl = data?.style_url ?? undefined;
  const isChosen = map === 'streets';
  const plan = <TruckMap positions={positions} />;
  const choose = (isStreets: boolean) => {
    setFailed(false);
    setSearch({ map: isStreets ? 'streets' : undefined }, { replace: true });
  };
  return (
    <div className="dispatch-map">
      {styleUrl && (
        <label className="switch-row">
          <input
            type="checkbox"
            checked={isChosen}
            onChange={(event) => choose(event.currentTarget.checked)}
          />
          Streets
        </label>
      )}
      {styleUrl && isChosen && !hasFailed ? (
        <Suspense fallback={plan}>
          <StreetMap styleUrl={styleUrl} positions={positions} onFailure={() => setFailed(true)} />
        </Suspense>
      ) : (
        plan
      )}
      <p className="dispatch-dim" role="status">
        {hasFailed && isChosen && 'The map with streets cannot be shown, so this is the plan.'}
      </p>
      <PositionDetails positions={positions} />
    </div>
  );
});

function Missing({ onFailure }: StreetMapProps) {
  useEffect(onFailure, [onFailure]);
  return null;
}
