import { Anchor, Image, Skeleton, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { PagedTable } from '../../../parts/record/paged-table';
import { TimeAgo } from '../../../parts/values/time';

type Photo = Schemas['WorkOrderPhoto'];

/** The photos of the work order, from the driver or from an API key. */
export function PhotosTab({ workOrderId }: { workOrderId: string }) {
  const path = { id: workOrderId };
  return (
    <PagedTable<Photo>
      label="Photos"
      queryKey={['/work-orders/{id}/photos', workOrderId]}
      readPage={async (cursor) => {
        const query = { limit: 20, ...(cursor ? { cursor } : {}) };
        const { data } = await client.GET('/work-orders/{id}/photos', { params: { path, query } });
        return data?.data ?? { items: [], cursor: null };
      }}
      rowKey={({ id }) => id}
      empty="There is no photo yet. The driver adds photos on the page behind the driver's link."
      columns={[
        { header: 'Photo', render: (photo) => <Picture photo={photo} /> },
        { header: 'Taken', render: (photo) => <TimeAgo at={photo.taken_at ?? photo.created_at} /> },
        { header: 'Added by', render: ({ uploaded_by: name }) => name ?? '–' },
      ]}
    />
  );
}

/** One picture, read with the session of the page. A click opens it in full size. */
function Picture({ photo }: { photo: Photo }) {
  const url = usePicture(photo);
  if (url === 'failed') return <Text size="sm">The picture could not be loaded.</Text>;
  if (!url) return <Skeleton w={160} h={120} />;
  return (
    <Anchor href={url} target="_blank" rel="noreferrer">
      <Image
        src={url}
        w={160}
        h={120}
        fit="cover"
        radius="sm"
        alt={`Photo of ${photo.created_at}, full size`}
      />
    </Anchor>
  );
}

function usePicture({ id }: Photo): string | undefined {
  const [state, setState] = useState<string>();
  useEffect(() => {
    const abort = new AbortController();
    let url: string | undefined;
    const read = async () => {
      const { data } = await client.GET('/photos/{id}/picture', {
        params: { path: { id } },
        parseAs: 'blob',
        signal: abort.signal,
      });
      url = URL.createObjectURL(data as Blob);
      setState(url);
    };
    read().catch(() => !abort.signal.aborted && setState('failed'));
    return () => {
      abort.abort();
      if (url) URL.revokeObjectURL(url);
    };
  }, [id]);
  return state;
}
