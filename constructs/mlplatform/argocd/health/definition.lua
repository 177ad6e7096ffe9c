-- A CompositeResourceDefinition: claims can be made once it is Established and, where it has claims, Offered.
local found = {}
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    found[condition.type] = condition
  end
end

local wanted = { "Established" }
if obj.spec ~= nil and obj.spec.claimNames ~= nil then
  wanted[2] = "Offered"
end

for _, name in ipairs(wanted) do
  local condition = found[name]
  if condition == nil or condition.status ~= "True" then
    local message = "Waiting to be " .. name
    if condition ~= nil and condition.message ~= nil and condition.message ~= "" then
      message = condition.message
    end
    if condition ~= nil and condition.status == "False"
      and condition.reason ~= "TerminatingCompositeResource" and condition.reason ~= "TerminatingCompositeResourceClaim" then
      return { status = "Degraded", message = message }
    end
    return { status = "Progressing", message = message }
  end
end
return { status = "Healthy", message = "The API is served" }
