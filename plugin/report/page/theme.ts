import { byId } from './dom.ts'

const key = 'vitest-npu-theme'

const dark = matchMedia('(prefers-color-scheme: dark)')

/** What the reader has chosen; a page without storage forgets it. */
function stored(): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Light or dark as the system says, until the switch is used. */
export function startTheme(): void {
  const button = byId('theme')
  const isDark = (): boolean =>
    (document.documentElement.dataset['theme'] ?? (dark.matches ? 'dark' : 'light')) === 'dark'
  const show = (): void => button.setAttribute('aria-pressed', String(isDark()))
  const chosen = stored()
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset['theme'] = chosen
  button.addEventListener('click', () => {
    const theme = isDark() ? 'light' : 'dark'
    document.documentElement.dataset['theme'] = theme
    try {
      localStorage.setItem(key, theme)
    } catch {
      // it holds for this visit
    }
    show()
  })
  dark.addEventListener('change', show)
  show()
}
