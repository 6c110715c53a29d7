import { type CSSVariablesResolver, createTheme } from '@mantine/core';

/**
 * Replaces Mantine's colours of dimmed texts and filled buttons, because they miss the contrast
 * that WCAG 2.2 AA requires.
 */
export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 8, dark: 9 },
  autoContrast: true,
  respectReducedMotion: true,
  defaultRadius: 'sm',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif',
  components: {
    Badge: { defaultProps: { variant: 'default', radius: 'sm', tt: 'none', fw: 500 } },
    Button: { defaultProps: { size: 'sm' } },
    // Remove a closed list of options from the page. Otherwise the page would contain two elements
    // with the same label.
    Combobox: { defaultProps: { keepMounted: false } },
    // See .mantine-Select-options in styles.css.
    Select: { defaultProps: { withScrollArea: false } },
    MultiSelect: { defaultProps: { withScrollArea: false } },
    // The name of the button must not contain that of the field, such as Password.
    PasswordInput: { defaultProps: { visibilityToggleButtonProps: { 'aria-label': 'Show or hide' } } },
    Modal: { defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } } },
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5a6169',
    '--mantine-color-placeholder': '#666d75',
    '--mantine-color-error': '#c92a2a',
  },
  dark: {
    '--mantine-color-dimmed': '#a9afb6',
    '--mantine-color-placeholder': '#a0a6ad',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-anchor': '#74c0fc',
  },
});
