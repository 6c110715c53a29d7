import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Moon, Sun } from 'lucide-react';
import { Tip } from '../parts/basics/tip';

/** Switches between light and dark. Until the first switch, the browser's preference applies. */
export function ThemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  const Icon = isDark ? Sun : Moon;
  return (
    <Tip label={isDark ? 'Theme: dark' : 'Theme: light'}>
      <ActionIcon
        variant="default"
        size="md"
        aria-label="Theme"
        aria-pressed={isDark}
        onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
      >
        <Icon size={16} aria-hidden />
      </ActionIcon>
    </Tip>
  );
}
