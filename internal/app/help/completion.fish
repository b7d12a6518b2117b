function _vestibule
  set -l words (commandline -opc)
  $words[1] complete -- $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c vestibule -f -n 'test (count (_vestibule)) -gt 0' -a '(_vestibule)'
