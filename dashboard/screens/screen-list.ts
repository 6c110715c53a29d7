import {
  BadgeCheck,
  Banknote,
  ClipboardList,
  Download,
  FileText,
  LayoutDashboard,
  Lightbulb,
  type LucideIcon,
  Map as MapIcon,
  Plug,
  ScrollText,
  Settings,
  Users,
  Webhook,
} from 'lucide-react';
import type { ComponentType } from 'react';

/** The exports of a screen's folder. */
export interface ScreenModule {
  /** The list, at `/app/<path>`. It stays visible behind an open record. */
  Screen: ComponentType;
  /** The record, at `/app/<path>/<id>`. */
  Record?: ComponentType<{ id: string }>;
}

export interface ScreenEntry {
  /** The name in the navigation, and the heading of the screen. */
  name: string;
  /** The path below /app/; empty for the first screen. */
  path: string;
  icon: LucideIcon;
  load: () => Promise<ScreenModule>;
}

/** All screens, in the order of the navigation (docs/decisions.md §12). */
export const SCREENS: readonly ScreenEntry[] = [
  { name: 'Overview', path: '', icon: LayoutDashboard, load: () => import('./overview') },
  { name: 'Dispatch', path: 'dispatch', icon: MapIcon, load: () => import('./dispatch') },
  {
    name: 'Work orders',
    path: 'work-orders',
    icon: ClipboardList,
    load: () => import('./work-orders'),
  },
  { name: 'Invoices', path: 'invoices', icon: FileText, load: () => import('./invoices') },
  {
    name: 'Remittances',
    path: 'remittances',
    icon: Banknote,
    load: () => import('./remittances'),
  },
  { name: 'Customers', path: 'customers', icon: Users, load: () => import('./customers') },
  { name: 'Approvals', path: 'approvals', icon: BadgeCheck, load: () => import('./approvals') },
  {
    name: 'Suggestions',
    path: 'suggestions',
    icon: Lightbulb,
    load: () => import('./suggestions'),
  },
  { name: 'Webhooks', path: 'webhooks', icon: Webhook, load: () => import('./webhooks') },
  { name: 'Exports', path: 'exports', icon: Download, load: () => import('./exports') },
  {
    name: 'Integrations',
    path: 'integrations',
    icon: Plug,
    load: () => import('./integrations'),
  },
  { name: 'Audit log', path: 'audit-log', icon: ScrollText, load: () => import('./audit-log') },
  { name: 'Settings', path: 'settings', icon: Settings, load: () => import('./settings') },
];
