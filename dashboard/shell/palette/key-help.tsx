import { Kbd, Modal, Stack, Switch } from '@mantine/core';
import { setSingleKeys, useAreSingleKeysOn } from '../../parts/basics/key-settings';
import { useFocusReturn } from '../../parts/dialogs/use-focus-return';
import { Facts } from '../../parts/record/facts';

/** Lists the keyboard shortcuts. */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  useFocusReturn();
  const isOn = useAreSingleKeysOn();
  return (
    <Modal opened onClose={onClose} title="Keys">
      <Stack gap="md">
        <Facts
          items={{
            'Find pages, actions and records': (
              <>
                <Kbd>Ctrl</Kbd> <Kbd>K</Kbd> or <Kbd>⌘</Kbd> <Kbd>K</Kbd>
              </>
            ),
            'This list': <Kbd>?</Kbd>,
            'Next row of a list': <Kbd>j</Kbd>,
            'Previous row of a list': <Kbd>k</Kbd>,
            'Open the row': <Kbd>Enter</Kbd>,
            'Close the dialog or the record': <Kbd>Esc</Kbd>,
          }}
        />
        <Switch
          label="Shortcuts of a single key"
          description="Switch them off if you dictate, or if keys are pressed by accident."
          checked={isOn}
          onChange={(event) => setSingleKeys(event.currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}
