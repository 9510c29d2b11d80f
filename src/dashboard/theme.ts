import { createTheme, type CSSVariablesResolver } from '@mantine/core';
import { texts } from './texts/texts.js';

/** No motion takes longer, in ms. */
const motionMs = 120;
const transitionProps = { duration: motionMs };
const closeButtonProps = { 'aria-label': texts.common.close };

/** Mantine's default shades are too pale for white text; these pass axe's contrast in both themes. */
export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: 8,
  autoContrast: true,
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  components: {
    // colour alone does not tell a link from the text around it
    Anchor: { defaultProps: { underline: 'always', size: 'sm' } },
    NavLink: { defaultProps: { bdrs: 'sm' } },
    // a click beside a form would lose what was typed
    Modal: { defaultProps: { closeButtonProps, transitionProps, closeOnClickOutside: false } },
    Drawer: { defaultProps: { closeButtonProps, transitionProps } },
    Popover: { defaultProps: { transitionProps } },
    SegmentedControl: { defaultProps: { transitionDuration: motionMs } },
    AppShell: { defaultProps: { transitionDuration: motionMs } },
    Burger: { defaultProps: { transitionDuration: motionMs } },
    Spoiler: { defaultProps: { transitionDuration: motionMs } },
    Skeleton: { defaultProps: { animate: false } },
    Tooltip: {
      defaultProps: { withArrow: true, events: { hover: true, focus: true, touch: true } },
    },
  },
});

/** The nonce of this page, which the content security policy asks of each `style` element. */
export const pageNonce = (): string =>
  document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';

/** Mantine's own secondary text is too pale for axe. */
export const themeVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': colors.gray[6],
    '--mantine-color-error': colors.red[8],
    '--good-color': '#237a36',
    '--grid-color': colors.gray[2],
  },
  dark: {
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-placeholder': colors.dark[2],
    '--mantine-color-error': colors.red[4],
    '--good-color': colors.green[4],
    '--grid-color': colors.dark[5],
  },
});
