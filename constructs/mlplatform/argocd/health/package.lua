-- A Provider, Function or Configuration of Crossplane: what comes after it needs its CRDs (Installed) and its controller (Healthy).
local found = {}
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    found[condition.type] = condition
  end
end

local function say(status, condition, otherwise)
  local message = otherwise
  if condition ~= nil and condition.message ~= nil and condition.message ~= "" then
    message = condition.message
  elseif condition ~= nil and condition.reason ~= nil and condition.reason ~= "" then
    message = condition.reason
  end
  return { status = status, message = message }
end

local installed, healthy = found["Installed"], found["Healthy"]

if installed ~= nil and installed.status == "False" then
  if installed.reason == "InactivePackageRevision" and obj.spec ~= nil and obj.spec.revisionActivationPolicy == "Manual" then
    return say("Suspended", installed, "Waiting for somebody to activate the revision")
  end
  -- unpacking; a package that cannot be pulled says so in its message
  return say("Progressing", installed, "Waiting for the package")
end
if installed == nil or installed.status ~= "True" then
  return say("Progressing", installed, "Waiting for the package")
end
if healthy == nil or healthy.status ~= "True" then
  -- Crossplane says False from the start, until the Pod runs: Degraded would end the sync that waits for it
  return say("Progressing", healthy, "Waiting for the package to run")
end
return { status = "Healthy", message = "Installed and running" }
