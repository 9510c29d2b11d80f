import { type ComponentType, lazy } from 'react';
import { texts } from './texts/texts.js';

/** A page of the navigation. */
export interface NavigatedPage {
  /** The first segment of its path; `''` is the start page. */
  readonly path: string;
  readonly label: string;
  /** Whether only administrators see it. */
  readonly isAdmin?: boolean;
  /** Loaded when it is first shown. Paths below its own are its own too: `/requests/<id>`. */
  readonly Content: ComponentType;
}

const page = (
  path: string,
  label: string,
  load: () => Promise<{ default: ComponentType }>,
): NavigatedPage => ({ path, label, Content: lazy(load) });

const { navigation } = texts;

/** The pages in the order of the navigation. `src/http/dashboard/` serves the same paths. */
export const pages: readonly NavigatedPage[] = [
  page('', navigation.overview, () => import('./pages/overview/overview-page.js')),
  page('playground', navigation.playground, () => import('./pages/playground/playground-page.js')),
  page(
    'conversations',
    navigation.conversations,
    () => import('./pages/conversations/conversations-page.js'),
  ),
  page('requests', navigation.requests, () => import('./pages/requests/requests-page.js')),
  page('models', navigation.models, () => import('./pages/models/models-page.js')),
  page(
    'preferences',
    navigation.preferences,
    () => import('./pages/preferences/preferences-page.js'),
  ),
  page('keys', navigation.keys, () => import('./pages/keys/keys-page.js')),
  page('connect', navigation.connect, () => import('./pages/connect/connect-page.js')),
  page('settings', navigation.settings, () => import('./pages/settings/settings-page.js')),
];
