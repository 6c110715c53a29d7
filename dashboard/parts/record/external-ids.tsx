import { Anchor, Stack } from '@mantine/core';
import type { Schemas } from '../../api/records';
import { humanize } from './status-badge';

/** The query with which a record's response names its ids at vendors. */
export const WITH_EXTERNAL_IDS = { expand: 'external_ids' } as const;

/**
 * The fact that says what vendors call a record, for {@link Facts}. Empty for a record that no
 * vendor knows.
 */
export function externalIdsFact(ids: readonly Schemas['ExternalId'][] | undefined) {
  return ids && ids.length > 0 ? { 'At vendors': <ExternalIds ids={ids} /> } : {};
}

function ExternalIds({ ids }: { ids: readonly Schemas['ExternalId'][] }) {
  return (
    <Stack gap={2}>
      {ids.map(({ connection_id: connection, vendor, id, url }) => {
        const name = `${humanize(vendor)} ${id}`;
        return (
          <span key={`${connection} ${id}`}>
            {url === null ? (
              name
            ) : (
              <Anchor href={url} target="_blank" rel="noreferrer" inherit>
                {name}
              </Anchor>
            )}
          </span>
        );
      })}
    </Stack>
  );
}
