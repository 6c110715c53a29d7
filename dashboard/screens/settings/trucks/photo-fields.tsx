import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { PUBLISHED_SLOT } from '../../../generated/vocabulary';
import { withChosen } from '../../../parts/record/word-options';
import { MAX_PHOTOS, type PhotoLink } from './inspection-draft';

/** The photos of an inspection, as links to pictures on the web. */
export function PhotoFields({
  photos,
  errors,
  onPhotos,
}: {
  photos: readonly PhotoLink[];
  /** The fault of each photo's link, in the sequence of the photos. */
  errors: readonly (string | undefined)[];
  onPhotos: (photos: PhotoLink[]) => void;
}) {
  const [added, setAdded] = useState(0);
  const addButton = useRef<HTMLButtonElement>(null);
  const add = () => {
    setAdded(added + 1);
    onPhotos([...photos, { row: added + 1, slot: 'damage', url: '' }]);
  };
  const remove = (row: number) => {
    onPhotos(photos.filter((photo) => photo.row !== row));
    // At the maximum number, the button is still disabled.
    requestAnimationFrame(() => addButton.current?.focus());
  };
  const edit = (row: number, patch: Partial<PhotoLink>) =>
    onPhotos(photos.map((photo) => (photo.row === row ? { ...photo, ...patch } : photo)));
  return (
    <Stack gap="xs">
      {photos.map(({ row, slot, url }, index) => (
        <Stack key={row} role="group" aria-label={`Photo ${index + 1}`} gap="xs">
          <Group align="flex-start" gap="xs">
            <NativeSelect
              label="Shows"
              data={withChosen(PUBLISHED_SLOT, slot)}
              value={slot}
              onChange={(event) => edit(row, { slot: event.currentTarget.value })}
            />
            <TextInput
              label="Link"
              autoFocus={row === added}
              required
              type="url"
              placeholder="https://"
              flex="1 1 14rem"
              value={url}
              error={errors[index]}
              onChange={(event) => edit(row, { url: event.currentTarget.value })}
            />
          </Group>
          <Button size="compact-sm" variant="default" w="fit-content" onClick={() => remove(row)}>
            {`Remove photo ${index + 1}`}
          </Button>
        </Stack>
      ))}
      <Button
        ref={addButton}
        size="xs"
        variant="default"
        w="fit-content"
        leftSection={<Plus size={14} aria-hidden />}
        disabled={photos.length >= MAX_PHOTOS}
        onClick={add}
      >
        Add link to a photo
      </Button>
    </Stack>
  );
}
