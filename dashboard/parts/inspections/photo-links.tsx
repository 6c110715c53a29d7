import { Anchor, Stack } from '@mantine/core';
import type { Schemas } from '../../api/records';
import { humanize } from '../record/status-badge';

/** The photos of an inspection: links to pictures that are stored elsewhere. */
export function PhotoLinks({ photos }: { photos: Schemas['Inspection']['photos'] }) {
  if (photos.length === 0) return <>–</>;
  return (
    <Stack gap={2}>
      {photos.map(({ url, slot, phase }, index) => (
        <Anchor
          // biome-ignore lint/suspicious/noArrayIndexKey: two photos may have the same link
          key={index}
          href={url}
          target="_blank"
          rel="noreferrer"
          inherit
        >
          {[humanize(slot), phase].filter(Boolean).join(', ')}
        </Anchor>
      ))}
    </Stack>
  );
}
